#!/usr/bin/env python3
"""Makes seeds in corpus/ beside this file: all of imagelist_fuzz, and the tables of textfile_fuzz."""
from make_checkpoint_corpus import save


def table_seeds():
    return {
        "header": b'\xef\xbb\xbfa,b,"c, ""d"""\r\n1,2,3\r\n4,"5",6\r\n',
        "header_alone": b"a,b,c\n",
        "header_twice": b"a,b,b\n1,2,3\n",
        "header_of_numbers": b"1,b,3\n1,2,NA\n1,2\n",
        "quotes": b'1,"2,3\n"4""5",6,7\n"1" ,2 3,"",\n',
        "label_last": b"0.5,1.5,1\n0.5,x,1\n",
    }


def imagelist_seeds():
    return {
        "labels": b"\xef\xbb\xbflist 3\r\n\n list\t-1\nnone.png 1\n",
        "targets": b"list 0.5 +1\nmy dogs/a.jpg 1e9 -2\nlist nan 1\nlist 1\n",
        "names": b"list\na b.png\na.png 3 4\n",
        "no_path": b"a\0b 1\n" + b"x" * 300 + b" 1\n" + b"/" * 5000 + b" 1\n. 1\n../ 1\n",
        "no_label": b"list word\nlist 1.5\nlist 99999999999\n 3\n",
    }


def main():
    save("textfile", table_seeds())
    save("imagelist", imagelist_seeds())


if __name__ == "__main__":
    main()
