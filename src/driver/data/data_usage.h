// The help of `singa data`.
#pragma once

namespace singa {

inline constexpr char kDataUsage[] =
    R"(usage: singa data digits [-seed N] DIR
    Draws the embedded data set of digits, which look handwritten, into DIR, as MNIST's four files:
    train-images-idx3-ubyte, train-labels-idx1-ubyte (10000) and t10k-... (2000).
      -seed N          a different set for each N; 0 if not given

singa data convert [flags] SRC DST
    Copies all records of the store SRC to DST, in another format.
      -from FORMAT     of SRC: one of those below; detected from the content if not given
      -to FORMAT       of DST; if not given, imagefolder for a name that ends with .tar, textfile
                       for one with .csv, kvfile for others
          kvfile       SINGA's own: a file of RecordProtos
          textfile     lines label,number,... or target,...,number,...; labels of SRC may be words
          idx          MNIST's: a file of pictures, another one of labels; bytes only
          cifar10      CIFAR-10's binary batch: 3 x 32 x 32 bytes, labels 0 to 9
          imagefolder  a .tar of CLASS/INDEX.png; as SRC also a folder, and other pictures
          imagelist    only SRC: a text of lines "picture label" or "picture target ..."
          lmdb         Caffe's: a folder with data.mdb, Datums
          shard        only SRC: what SINGA 0.3's kShardData read
      -labels FILE     labels of an idx SRC; found by name for MNIST's files
      -to_labels FILE  where the labels of an idx DST go
      -shape A,B,...   of a record, such as 28,28; as SRC says if not given; 28,28 and 1,28,28 read
                       the pictures of an imagefolder as grey
      -resize H,W      scales pictures to H rows and W columns, without keeping their ratio
      -separator S     of numbers in a textfile SRC: each character of S; a comma if not given
      -header          the first line of a textfile SRC has the names of its columns
      -label_column C  of a textfile SRC: a number from 1, or a name; 1 if not given
      -targets N       N columns of a textfile SRC, from the label's on, are targets in place of a
                       label; or the last N numbers of a line of an imagelist
      -root FOLDER     where the pictures of an imagelist are; the list's folder if not given
      -no_labels       leaves labels out
      -encoded         records of a kvfile or textfile are picture files: SRC's are decoded; or
                       a kvfile or lmdb DST keeps the files of an imagefolder as they are
      -mean FILE       writes the mean record, too: image_mean.bin of SINGA 0.3
      -max_bad N       leaves out up to N records that are damaged, empty or of another shape than
                       the first, and names them; 0 if not given

singa data stat [-from FORMAT] [-labels FILE] [-separator S] [-header] [-label_column C]
                [-targets N] [-root FOLDER] [-no_labels] [-encoded] [-max_bad N] PATH
    Prints the number of records, their shape or the range of their sizes, the range, mean and
    deviation of all numbers, of each channel or column, and of each target, channel_mean and
    channel_std for a store_conf, and how many records each label has. If labels are words, it
    prints class_names for a store_conf, too.

singa data split [flags] FILE TRAIN TEST
    Divides the lines of FILE, a table or a list of pictures, at random into two new files. Lines
    stay in their order, and a field in quotes may have line breaks. Names in a list stay as they
    are: if they begin at the folder of FILE, write the new files there, too.
      -test FRACTION   of the records that go to TEST; 0.2 if not given
      -seed N          a different choice for each N; 0 if not given
      -header          the first line has the names of the columns; both files get it
      -separator S     as above: it decides where a field in quotes begins
      -by_class        divides the records of each class separately
      -label_column C  of a table, for -by_class: a number from 1, or a name; 1 if not given
)";

}  // namespace singa
