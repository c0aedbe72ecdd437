# A store in memory.
set(section "To add a kind of store")
set(names memory)
add_file(src/store/memory_store.cpp)
insert_after(src/store/open.hpp "Opener open_sqlite" ", open_memory")
insert_after(src/store/open.hpp "Lister list_sqlite" ", list_memory")
insert_after(src/store/open.cpp "{\"sqlite:PATH\", true, open_sqlite, list_sqlite}," "\n    {\"memory:NAME\", false, open_memory, list_memory},")
insert_after(src/CMakeLists.txt "store/open.cpp" " store/memory_store.cpp")
insert_after(tests/store/stores.hpp "{\"sqlite\", [](const std::filesystem::path& path) { return \"sqlite:\" + path.string(); }},"
             "\n    {\"memory\", [](const std::filesystem::path& path) { return \"memory:\" + path.string(); }},")
insert_after(docs/formats/store.md "# " "`memory:NAME` ")

set(sources src/store/open.cpp src/store/memory_store.cpp)
set(tests tests/store/contract_groups_test.cpp tests/store/contract_test.cpp)
set(rooms store io random core)
set(packages SQLite::SQLite3 PkgConfig::libpq)
set(filter "*memory:Store.*")
