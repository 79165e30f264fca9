// The help of `singa predict`.
#pragma once

namespace singa {

inline constexpr const char kPredictHelp[] =
    R"(usage: singa predict -conf FILE [-checkpoint C] [flags] INPUT...
       singa predict -conf FILE [-checkpoint C] [flags] -report INPUT...
       singa predict -conf FILE [-checkpoint C] -generate N [-prime TEXT] [-temperature X] [-seed S]
       singa predict -conf FILE [-checkpoint C] -serve [-host ADDRESS] [-port N]

Prints the prediction of a trained net for each record, one line each, or for each character of a
text if the net reads one (kCharRNN). With -report it compares the predictions with the labels of
all records. With -generate a net that reads a text writes one. With -serve it answers requests over
HTTP.

  -conf FILE       the job that trained it; its test phase says how records are prepared
  -checkpoint C    a checkpoint's folder, a .safetensors file, a file of SINGA 0.3, or a workspace,
                   whose newest intact checkpoint is used; if not given, the job's workspace, or
                   else its checkpoint_path, which goes first if -set gives it. stderr says which
                   one is used if there is a choice
  -layer NAME      the layer whose output is printed; if not given, the probabilities of a
                   kSoftmaxLoss or kSigmoidCrossEntropyLoss, or what another loss compares with the
                   target
  -topk N          only the N best classes, best first
  -format csv      (if not given) a header, then record,label,score,score,... or with -topk
                   record,label,class1,score1,...; the label is empty if a record has none.
                   Columns of targets have the names of the training table's header, else target0,
                   target1, ...
  -format json     {"record":"a.png","label":3,"scores":[...]}, or with -topk
                   {"record":"a.png","top":[{"class":3,"score":0.98},...]}
  -set PATH=VALUE  override a field of the job; any number of times. gpu=0 computes on that GPU, as
                   does gpu: 0 in the job
  -batch N         records at a time; as in the job's test phase if not given. 1: each line of stdin
                   is answered before the next is read
  -from FORMAT     of INPUT: idx, kvfile, textfile, cifar10, imagefolder, imagelist, lmdb, shard;
                   detected from the content if not given
  -labels FILE     labels of the one idx INPUT; found by name for MNIST's files
  -no_labels       ignores labels, and the label's column of a table with a header; needed for an
                   imagelist without labels
  -id COLUMN       of a table: each line has the text of this column behind the name of the record,
                   in CSV as the column id, in JSON as "id". COLUMN is a name in the header, or a
                   number from 1. Training may leave the column out, or not have it

  -report          prints a report instead of the predictions (below)
  -worst N         the report names the N records with the largest losses; 10 if not given

  -generate N      writes N characters to stdout, each drawn by its probability; N >= 1
  -prime TEXT      the beginning that the net continues; not written. A newline if not given, which
                   the vocabulary must then have
  -temperature X   divides the logarithms of the probabilities before a character is drawn: below 1
                   likely ones become more likely; > 0, 1 if not given
  -seed S          one seed gives one text; the job's seed if not given

  -serve           answers requests for predictions (below) until a signal ends it; takes -conf,
                   -checkpoint, -layer, -set, -topk and -batch, and no INPUT
  -host ADDRESS    the address to listen on; 127.0.0.1 if not given, which only this machine
                   reaches. With an address that other machines reach, the URL has a secret token,
                   which each request needs
  -port N          the port; 0: a free one; 8080 if not given

INPUT is a picture (JPEG, PNG, WebP, BMP, TIFF) of the size that the net takes, a folder of
pictures, a folder or an uncompressed tar of class folders, a store of records, or - for lines of
numbers on stdin. If the header, or without one the first line, has one column more than the net
takes, every line has a label, first or in label_column; an empty field there is no label. Classes
have the names of the class folders that the net was trained on, or those in class_names: the
checkpoint keeps them. With class_names, labels are these words, too. If records have labels of
classes, stderr shows the accuracy at the end.

The name of a record is the path of its picture, or else INPUT:NUMBER. NUMBER counts records from 0,
without the header and empty lines of a table. Messages about a line of a table have
INPUT:LINE: record NUMBER, and lines count from 1.

-report needs INPUTs whose records have labels, or the targets of a kEuclideanLoss or
kSigmoidCrossEntropyLoss. -format text (if not given) is for people, -format json is one object.
A report of classes has the accuracy, with -topk N also that of the best N; the mean loss;
precision, recall, F1 and support of each class, with macro means and micro means; the confusion
matrix, a row for each class and a column for each prediction; the expected calibration error of 15
bins; and the worst records. A report of several labels has the share of correct decisions, the
share of records without an error, and the rates of each label. A report of numbers has the mean
absolute error, root mean squared error and R2 of each target. A rate that divides by 0 is - in
text and null in JSON, and a macro mean leaves it out.

If a layer is unrolled, each record has a line for each time step, with its number after the name:
record,step,label,score,...; in JSON "step":0. A record holds all that the input layer reads.

If the input layer is kCharRNN, INPUT is a text of any length, or - for one on stdin. The file of
the job's vocabulary must exist, and have all characters of the text. A line has the place of a
character, TEXT:BYTE from 0; the next character as its label; and the score of each character as the
next one. Scores depend on the characters before: with carry_state on the whole text, without it on
the same window of unroll_len. A layer of one step has a line for each whole window, and so has a
net in which a step depends on later ones. Characters that cannot be printed are shown as in C: \n.
-from, -labels and -id do not work with a text; -batch counts windows, and is 1 if a state is
carried.

-generate is for a kCharRNN, and for layers whose time steps do not depend on later ones. The net
computes one time step for each character. It keeps the state of kGRU, kLSTM and kRNN, and the keys
and values of kAttention. With kAttention or kPositionEmbedding, after a full window of unroll_len
characters, it starts again with the last half of the window.

-serve prints its URL, and then answers:

  POST /predict    the predictions of records, as JSON: {"predictions":[...]}, with the objects of
                   -format json. ?topk=N sets -topk for one request
  GET /            the net: its checkpoint, the shape of a record, the names of classes
  GET /health      the status of the server
  GET /metrics     numbers of requests and records, and times, in Prometheus' text form

The body of a POST is {"inputs":[...]} with Content-Type application/json, records of float32 with
application/octet-stream, or a picture with image/png, image/jpeg and so on. Waiting records are
computed in batches of at most -batch records. A request that cannot be answered gets
{"error":"..."} and a status of 4xx, or 503 if too many wait. Ctrl-C or SIGTERM ends it with 0 when
the requests that have come are answered; a second Ctrl-C ends it at once.

With on_bad_record: kSkip in the test store of the job, up to max_bad_records records that cannot be
read, or have another size, get a warning and no line. A store that cannot be opened is an error.

Exit code 65: a damaged record, one of the wrong size, or a character that the vocabulary lacks,
after the lines of the records before it; 66: an INPUT or the checkpoint is missing;
69: the GPU is not there, or too small, or -serve is used without cpp-httplib; 73: the address or
port cannot be used; 78: the job has mistakes; 79: a score is nan or inf, after
all lines are written.
)";

}  // namespace singa
