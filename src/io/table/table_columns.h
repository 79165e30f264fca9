// TableColumns reads the columns of CSV that StoreProto.columns describes: ids, words, and numbers
// with gaps.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "io/store/store.h"
#include "io/table/class_words.h"

namespace singa {

class TableColumns {
 public:
  // `names`: those of the header; empty: there is none. Throws ValueError for a column that is not
  // there, and for two that are the same.
  TableColumns(const std::vector<TableColumn>& columns, const std::vector<std::string>& names);

  // Returns whether column `at`, from 0, is described.
  bool Has(int64_t at) const { return at < end_ && columns_.contains(at); }
  // Appends the numbers that a field of column `at` gives, and returns true. Returns false if the
  // field is neither a listed word nor a gap: then it must be a number, if the column holds
  // numbers. REQUIRES: Has(at).
  bool Add(int64_t at, std::string_view field, std::vector<float>* numbers) const;
  // Returns whether the field may be a word that column `at` does not list: the column holds words,
  // and the field is no number, or listed words are numbers, too. REQUIRES: Has(at).
  bool MayBeWord(int64_t at, std::string_view field) const;
  // Returns the error about a field of column `at` that is no listed word; "": the column holds no
  // words. `what`: "the word". REQUIRES: Has(at).
  std::string NoWordText(int64_t at, const std::string& what, std::string_view field) const;
  // Returns the names of the numbers that column `at`, which has the name `name`, gives.
  std::vector<std::string> NamesOf(int64_t at, const std::string& name) const;
  // Returns the index behind the last column that is described; 0: there is none.
  int64_t end() const { return end_; }

 private:
  struct Column {
    TableColumn description;
    ClassWords words;
  };

  std::map<int64_t, Column> columns_;  // by the index from 0
  int64_t end_ = 0;
};

// Returns the index, from 0, of the column that ColumnProto.name means. `names`: those of the
// header; empty: there is none. Throws ValueError if there is no such column, or there are two.
int64_t DescribedIndex(const std::string& name, const std::vector<std::string>& names);

// Returns whether a field is empty, or stands for no value: "-", NA, or what a spreadsheet writes
// if a formula has none. Its errors that are mistakes, such as #REF!, are no gaps.
bool IsGap(std::string_view field);

// Returns how many columns a table has without its label or targets, if its records have `numbers`
// numbers.
int64_t ColumnsFor(int64_t numbers, const std::vector<TableColumn>& columns);

// Returns how a conf names column `at`, from 0: by its number if there are no `names`, or if its
// name is a number, is not unique, or is not UTF-8.
std::string NameInConf(const std::vector<std::string>& names, int64_t at);

// Returns a column as a store_conf describes it: `columns { name: "id" leave_out: true }`.
std::string ColumnText(const TableColumn& column);

}  // namespace singa
