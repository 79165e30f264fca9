// WriteLmdb makes databases with liblmdb.
#pragma once

#include <gtest/gtest.h>
#include <lmdb.h>

#include <string>
#include <utility>
#include <vector>

namespace singa {

using Pairs = std::vector<std::pair<std::string, std::string>>;

// Writes the pairs. `one_by_one` puts each pair into its own transaction.
inline void WriteLmdb(const std::string& path, const Pairs& pairs, bool one_by_one = false,
                      const char* database = nullptr, unsigned flags = 0) {
  MDB_env* env = nullptr;
  ASSERT_EQ(mdb_env_create(&env), 0);
  mdb_env_set_mapsize(env, 256 << 20);
  mdb_env_set_maxdbs(env, 1);
  ASSERT_EQ(mdb_env_open(env, path.c_str(), MDB_NOSUBDIR | MDB_NOLOCK | MDB_NOSYNC, 0644), 0);
  MDB_txn* txn = nullptr;
  MDB_dbi dbi = 0;
  for (size_t i = 0; i < pairs.size(); ++i) {
    if (!txn) {
      ASSERT_EQ(mdb_txn_begin(env, nullptr, 0, &txn), 0);
    }
    ASSERT_EQ(mdb_dbi_open(txn, database, flags | (database ? MDB_CREATE : 0), &dbi), 0);
    MDB_val key{pairs[i].first.size(), const_cast<char*>(pairs[i].first.data())};
    MDB_val value{pairs[i].second.size(), const_cast<char*>(pairs[i].second.data())};
    ASSERT_EQ(mdb_put(txn, dbi, &key, &value, 0), 0);
    if (!one_by_one && i + 1 < pairs.size()) continue;
    ASSERT_EQ(mdb_txn_commit(txn), 0);
    txn = nullptr;
  }
  mdb_env_close(env);
}

}  // namespace singa
