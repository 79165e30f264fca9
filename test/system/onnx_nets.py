"""Makes small nets with layers whose ONNX form is compared with singa's own. Their settings are odd
on purpose. A net reads "data" and names the layers that are compared."""
import collections

from job import dense

# `layers`: from "data" up to the layers `looked_at`; `shape`: of a record; `store`: more settings
# of the kCSVInput "data"; `data`: another kind of input, with its settings.
Net = collections.namedtuple("Net", "shape layers looked_at store loss data")
IMAGE, GREY, ROW = (3, 9, 8), (9, 8), (11,)
INDEX = (1,)  # records are whole numbers from -1, padding, to 6
RANDOM = "init { type: kUniform low: -0.4 high: 0.4 }"


def layer(kind, settings="", name="x", source="data", params=()):
    sources = "".join(f' srclayers: "{word}"' for word in source.split())
    given = "".join(f' param {{ name: "{param}" {RANDOM} }}' for param in params)
    return f'  layer {{ name: "{name}" type: {kind}{sources} {settings}{given} }}\n'


def softmax_loss(source):
    return dense("fc", source, 9, 4, RANDOM) + layer("kSoftmaxLoss", name="loss", source="fc data")


def net(shape, *layers, looked_at=("x",), store="", loss=None, data=""):
    """Returns a Net. `loss`: layers; None: a dense one and a kSoftmaxLoss on the last looked at."""
    loss = softmax_loss(looked_at[-1].partition(":")[0]) if loss is None else loss
    return Net(shape, "".join(layers), looked_at, store, loss, data)


def activation(kind):
    return net(IMAGE, layer("kActivation", f"activation_conf {{ type: {kind} }}"))


def joined(settings):
    return net(IMAGE, layer("kSigmoid", name="a"), layer("kReLU", name="b"),
               layer("kEltwise", f"eltwise_conf {{ {settings} }}", source="a data b"))


def pooling(shape, settings):
    return net(shape, layer("kPooling", f"pooling_conf {{ {settings} }}"))


def batch_norm(settings="", name="x"):
    bm = layer("kBM", settings, name=name, params=("gamma", "beta", "mean", "variance"))
    return bm.replace('"variance" ' + RANDOM, '"variance" init { type: kConstant value: 1 }')


SIDES = "kernel_x: 3 kernel_y: 2 pad_x: 2 pad_y: 1 stride_x: 2 stride_y: 1"
POOL_SIDES = "kernel_x: 4 kernel_y: 3 pad_x: 3 pad_y: 1 stride_x: 3 stride_y: 2"
UP_SIDES = "kernel_x: 3 kernel_y: 4 pad_x: 1 pad_y: 2 stride_x: 3 stride_y: 2"
SHARED = dense("one", "data", 1, 11, RANDOM) + layer(
    "kInnerProduct", 'innerproduct_conf { num_output: 11 transpose: true } '
    'param { name: "v1" share_from: "w1" } param { name: "c1" share_from: "b1" }', source="one")

NETS = {
    "convolution": net(IMAGE, layer(
        "kConvolution", f"convolution_conf {{ num_filters: 5 {SIDES} }}", params=("w", "b"))),
    "convolution_without_bias": net(IMAGE, layer(
        "kConvolution", "convolution_conf { num_filters: 5 kernel: 4 pad: 2 stride: 3 }",
        params=("w",))),
    "convolution_of_grey": net(GREY, layer(
        "kCConvolution", f"convolution_conf {{ num_filters: 2 {SIDES} }}", params=("w", "b"))),
    "convolution_dilated": net(IMAGE, layer(
        "kConvolution", f"convolution_conf {{ num_filters: 5 dilation_x: 2 dilation_y: 3 {SIDES} }}",
        params=("w", "b"))),
    "convolution_in_groups": net(IMAGE, layer(
        "kConvolution", f"convolution_conf {{ num_filters: 6 group: 3 bias_term: false {SIDES} }}",
        params=("w",))),
    "convolution_of_each_channel": net(IMAGE, layer(
        "kConvolution", "convolution_conf { num_filters: 3 group: 3 pad: 1 }", params=("w", "b"))),
    "deconvolution": net(IMAGE, layer(
        "kDeconvolution", f"convolution_conf {{ num_filters: 5 dilation_x: 2 {SIDES} }}",
        params=("w", "b"))),
    "deconvolution_in_groups": net(IMAGE, layer(
        "kDeconvolution", "convolution_conf { num_filters: 6 group: 3 kernel: 4 stride: 2 pad: 1 }",
        params=("w",))),
    "deconvolution_of_grey": net(GREY, layer(
        "kDeconvolution", f"convolution_conf {{ num_filters: 2 {SIDES} }}", params=("w", "b"))),
    "max_pooling": pooling(IMAGE, "pool: MAX kernel: 4 stride: 3 pad: 1"),
    "max_pooling_of_sides": pooling(IMAGE, "pool: MAX " + POOL_SIDES),
    "max_pooling_of_grey": pooling(GREY, "pool: MAX kernel: 2 stride: 2"),
    "mean_pooling": pooling(IMAGE, "pool: AVG kernel: 4 stride: 3 pad: 1"),
    "mean_pooling_of_sides": pooling(IMAGE, "pool: AVG " + POOL_SIDES),
    "mean_pooling_that_leaves_a_border": pooling(GREY, "pool: AVG kernel: 3 stride: 4"),
    "max_pooling_rounded_up": pooling(IMAGE, "pool: MAX ceil_mode: true " + UP_SIDES),
    "mean_pooling_rounded_up": pooling(IMAGE, "pool: AVG ceil_mode: true " + UP_SIDES),
    "mean_pooling_rounded_up_of_grey": pooling(GREY, "pool: AVG ceil_mode: true kernel: 2"),
    "max_pooling_of_all": pooling(IMAGE, "pool: MAX global_pooling: true"),
    "mean_pooling_of_all": pooling(GREY, "pool: AVG global_pooling: true"),
    "lrn": net(IMAGE, layer("kLRN", "lrn_conf { local_size: 3 alpha: 2 beta: 0.6 knorm: 1.5 }")),
    "lrn_wider_than_the_image": net(IMAGE, layer("kLRN", "lrn_conf { local_size: 7 alpha: 3 }")),
    "lrn_of_grey": net(GREY, layer("kLRN", "lrn_conf { local_size: 5 alpha: 2 }")),
    "batch_norm": net(IMAGE, batch_norm()),
    "batch_norm_of_settings": net(IMAGE, batch_norm("bm_conf { momentum: 0.5 epsilon: 0.1 }")),
    "scores_of_an_activation": net(
        ROW, batch_norm(name="bn"), layer("kReLU", source="bn"),
        loss=layer("kEuclideanLoss", name="loss", source="x data")),
    "batch_norm_of_grey": net(GREY, batch_norm()),
    "batch_norm_of_rows": net(ROW, batch_norm()),
    "layer_norm": net(IMAGE, layer("kLayerNorm", params=("scale", "shift"))),
    "layer_norm_of_rows": net(ROW, layer(
        "kLayerNorm", "layer_norm_conf { epsilon: 0.3 }", params=("scale", "shift"))),
    "position_of_images": net(IMAGE, layer(
        "kPositionEmbedding", "position_embedding_conf { max_steps: 3 }", params=("table",))),
    "relu": net(IMAGE, layer("kReLU")),
    "leaky_relu": net(IMAGE, layer("kReLU", "relu_conf { negative_slope: 0.3 }")),
    "sigmoid": net(IMAGE, layer("kSigmoid")),
    "stanh": net(IMAGE, layer("kSTanh")),
    "activation_relu": activation("RELU"),
    "activation_sigmoid": activation("SIGMOID"),
    "activation_tanh": activation("TANH"),
    "activation_stanh": activation("STANH"),
    "activation_gelu": activation("GELU"),
    "activation_silu": activation("SILU"),
    "activation_relu6": net(IMAGE, dense("a", "data", 1, 11, RANDOM), layer(  # some numbers are above 6
        "kActivation", "activation_conf { type: RELU6 }", source="a")),
    "activation_hard_sigmoid": activation("HARD_SIGMOID"),
    "activation_hard_swish": activation("HARD_SWISH"),
    "residual_block": net(
        IMAGE, batch_norm(name="bn"), layer("kReLU", name="r", source="bn"),
        layer("kConvolution", "convolution_conf { num_filters: 3 kernel: 3 pad: 1 }", name="c",
              source="r", params=("w", "b")),
        layer("kEltwise", name="s", source="c data"), layer("kReLU", source="s"),
        looked_at=("s", "x")),
    "weighted_sum": joined("coeff: 2 coeff: 1 coeff: -0.5"),
    "product": joined("operation: PROD"),
    "maximum": joined("operation: MAX"),
    "number_for_each_channel": net(
        IMAGE, layer("kPooling", "pooling_conf { pool: AVG global_pooling: true }", name="m"),
        layer("kSigmoid", name="s", source="m"),
        layer("kEltwise", "eltwise_conf { operation: PROD }", source="data s")),
    "number_for_each_channel_of_rows": net(
        IMAGE, dense("s", "data", 1, 3, RANDOM),
        layer("kEltwise", "eltwise_conf { operation: PROD }", source="data s")),
    "inner_product": net(IMAGE, dense("x", "data", 1, 7, RANDOM)),
    "inner_product_transposed": net(IMAGE, layer(
        "kInnerProduct", "innerproduct_conf { num_output: 7 transpose: true }", params=("w", "b"))),
    "inner_product_without_bias": net(GREY, layer(
        "kInnerProduct", "innerproduct_conf { num_output: 7 bias_term: false }", params=("w",))),
    "shared_params": net(ROW, SHARED),
    "softmax": net(IMAGE, layer("kSoftmax")),
    "softmax_in_parts": net(IMAGE, layer(
        "kSoftmax", "softmax_conf { num_softmax_per_instance: 4 }")),
    "dropout": net(IMAGE, layer("kDropout", "dropout_conf { dropout_ratio: 0.4 }")),
    "split": net(IMAGE, layer("kSplit", "split_conf { num_splits: 2 }", name="s"),
                 layer("kReLU", source="s:1"), layer("kSigmoid", name="y", source="s:0"),
                 looked_at=("x", "y")),
    **{f"concate_{dim}": net(
        IMAGE, layer("kSigmoid", name="a"), layer("kReLU", name="b"),
        layer("kConcate", f"concate_conf {{ concate_dim: {dim} }}", source="a b a"))
       for dim in (1, 2, 3)},
    "slice_by_channels": net(IMAGE, layer("kSlice", "slice_conf { slice_dim: 1 num_slices: 2 }"),
                             looked_at=("x:1", "x:0")),
    "slice_by_rows_of_pixels": net(
        IMAGE, layer("kSlice", "slice_conf { slice_dim: 2 num_slices: 4 }"),
        looked_at=("x:3", "x:0")),
    "rank_with_equal_numbers": net(
        ROW, layer("kReLU", name="a"), layer("kArgSort", "argsort_conf { topk: 8 }", source="a"),
        layer("kAccuracy", "argsort_conf { topk: 2 }", name="y", source="a data"),
        looked_at=("x", "y"), loss=softmax_loss("a")),
    "softmax_loss_of_images": net(
        IMAGE, layer("kConvolution", "convolution_conf { num_filters: 2 }", params=("w", "b")),
        loss=layer("kSoftmaxLoss", name="loss", source="x data")),
    "sigmoid_loss": net(
        ROW, layer("kSigmoid", name="targets"), dense("x", "data", 1, 11, RANDOM),
        loss=layer("kSigmoidCrossEntropyLoss", name="loss", source="x targets")),
    "euclidean_loss": net(
        ROW, dense("x", "data", 1, 11, RANDOM),
        loss=layer("kEuclideanLoss", name="loss", source="x data")),
    "image_preprocess": net(IMAGE, layer(
        "kImagePreprocess",
        'rgbimage_conf { meanfile: "mean.bin" cropsize: 5 scale: 0.5 pad: 2 mirror: true }')),
    "image_preprocess_of_grey": net(GREY, layer(
        "kImagePreprocess", "rgbimage_conf { cropsize: 7 scale: 3 }")),
    "rgb_image": net(IMAGE, layer(
        "kRGBImage", 'rgbimage_conf { meanfile: "mean.bin" cropsize: 6 scale: 2 mirror: true }')),
    "mnist": net((64,), layer("kMnist", "mnist_conf { norm_a: 2 norm_b: 0.5 }")),
    "shard_data": net(IMAGE, layer(
        "kRGBImage", "rgbimage_conf { scale: 2 cropsize: 6 }"),
        data='kShardData sharddata_conf { path: "data.shard" batchsize: 100 }'),
    "lmdb_data": net(IMAGE, layer("kRGBImage", "rgbimage_conf { scale: 2 cropsize: 6 }"),
                     data='kLMDBData lmdbdata_conf { path: "data.lmdb" batchsize: 100 }'),
    "one_hot": net(INDEX, layer("kOneHot", "onehot_conf { vocab_size: 7 }")),
    "one_hot_of_a_rank": net(
        ROW, layer("kArgSort", "argsort_conf { topk: 1 }", name="a"),
        layer("kOneHot", "onehot_conf { vocab_size: 11 }", source="a")),
    "embedding_of_records": net(INDEX, layer(
        "kEmbedding", "embedding_conf { vocab_size: 7 feature_dim: 5 }", params=("table",))),
    "gru_of_one_step": net(ROW, layer(
        "kGRU", "gru_conf { dim_hidden: 4 }", params=[f"g{i}" for i in range(9)])),
    "lstm_of_one_step": net(
        ROW, dense("first", "data", 1, 4, RANDOM), layer(
            "kLSTM", "lstm_conf { dim_hidden: 4 }", source="data first",
            params=[f"g{i}" for i in range(12)])),
    "attention_of_one_step": net(ROW, layer(
        "kAttention", "attention_conf { num_heads: 11 }", params="abcd")),
    "attention_of_records": net(
        (6, 4), layer("kTimeSteps", "time_steps_conf { unroll_len: 6 }", name="t"),
        layer("kAttention", "unroll_len: 6 attention_conf { num_heads: 2 causal: false "
              "dropout_ratio: 0.3 bias_term: false }", name="g", source="t", params="ab"),
        layer("kInnerProduct", "unroll_conn_type: kUnrollFirstToLast "
              "innerproduct_conf { num_output: 7 }", source="g", params=("w", "v"))),
    "image_preprocess_that_does_nothing": net(IMAGE, layer("kImagePreprocess")),
    "time_steps_of_records": net(
        (6, 4), layer("kTimeSteps", "time_steps_conf { unroll_len: 6 }", name="t"),
        layer("kGRU", "unroll_len: 6 gru_conf { dim_hidden: 5 }", name="g", source="t",
              params="abcdefghi"),
        layer("kInnerProduct", "unroll_conn_type: kUnrollFirstToLast "
              "innerproduct_conf { num_output: 7 }", source="g", params=("w", "v"))),
    "positions_of_time_steps": net(
        (6, 4), layer("kTimeSteps", "time_steps_conf { unroll_len: 6 }", name="t"),
        layer("kPositionEmbedding", "unroll_len: 6 position_embedding_conf { max_steps: 9 }",
              name="p", source="t", params=("table",)),
        layer("kLayerNorm", "unroll_len: 6", name="n", source="p", params=("scale", "shift")),
        layer("kRNN", "unroll_len: 6 rnn_conf { dim_hidden: 5 }", name="r", source="n",
              params="abc"),
        layer("kSigmoid", "unroll_conn_type: kUnrollFirstToLast", source="r")),
    "time_steps_but_the_last": net(
        (6,), layer("kTimeSteps", "time_steps_conf { unroll_len: 5 ahead: 1 }", name="t"),
        layer("kRNN", "unroll_len: 5 rnn_conf { dim_hidden: 5 }", name="r", source="t",
              params="abc"),
        layer("kSigmoid", "unroll_conn_type: kUnrollFirstToLast", source="r")),
    "channels_normalised": net(
        IMAGE, layer("kReLU"), store="mean_value: 0.1 channel_mean: [0.2, -0.1, 0] "
        "channel_std: [0.5, 2, 1]"),
    "numbers_normalised_one_by_one": net(
        ROW, layer("kReLU"), store=f"channel_mean: {[0.1 * i for i in range(11)]}"),
    "mean_and_std_values": net(IMAGE, layer("kReLU"), store="mean_value: 0.3 std_value: 0.7"),
    "mean_and_std_files": net(IMAGE, layer("kReLU"),
                              store='mean_file: "mean.txt" std_file: "std.txt"'),
}


def conf(net, outputs=""):
    """Returns the job of a net. `outputs`: layers behind those of the net."""
    shape = " ".join(f"shape: {size}" for size in net.shape)
    store = f'path: "data.csv" batchsize: 100 {shape} {net.store}'
    data = net.data or f"kCSVInput store_conf {{ {store} }}"
    return f"""name: "small"
train_steps: 3
test_steps: 1
num_openblas_threads: 1
train_one_batch {{ alg: kBP }}
updater {{ type: kSGD learning_rate {{ type: kFixed base_lr: 0.01 }} }}
neuralnet {{
  layer {{ name: "data" type: {data} }}
{net.layers}{net.loss}{outputs}}}
cluster {{ workspace: "ws" }}
"""
