# Two readers: of one file of pairs of node numbers, and of a folder of two files, ties and members.
set(section "To add a reader")
set(names pairs ties)
foreach(name IN LISTS names)
  foreach(path IN ITEMS include/ppgnn/graph/${name}.hpp src/graph/${name}.cpp tests/graph/${name}_test.cpp fuzz/${name}_fuzz.cpp
          fuzz/corpus/${name})
    add_file(${path})
  endforeach()
endforeach()
insert_after(src/graph/load.cpp "#include \"ppgnn/graph/npz.hpp\"" "\n#include \"ppgnn/graph/pairs.hpp\"")
insert_after(src/graph/load.cpp "if (fs::is_directory(status)) return load_folder(path, options.missing_features);"
             "\n  if (path.extension() == \".pairs\") return read_pairs(path);")
insert_after(src/graph/load.cpp "#include \"ppgnn/graph/stored_graph.hpp\"" "\n#include \"ppgnn/graph/ties.hpp\"")
insert_after(src/graph/load.cpp "enum class Form { none, plain, planetoid, musae" ", ties")
insert_after(src/graph/load.cpp "is_musae ? Form::musae : form;"
             "\n    if (form == Form::none && folder.first_of({\"ties.csv\"}) && folder.first_of({\"members.csv\"})) form = Form::ties;")
insert_after(src/graph/load.cpp "return {musae.edges, musae.target, musae.features};"
             "\n      case Form::ties:\n        return {\"ties.csv\", \"members.csv\"};")
insert_after(src/graph/load.cpp "if (found.form == Recognised::Form::musae) return load_musae(folder, found.musae, missing);"
"
  if (found.form == Recognised::Form::ties) {
    return folder.noting_all_but(found.names(), read_ties({path / \"ties.csv\", path / \"members.csv\"}, folder.called()),
                                 \"the ties form takes ties.csv and members.csv\");
  }")
insert_after(src/graph/load.cpp " holds no data set: expected edges.csv (plain), " "ties.csv and members.csv (ties), ")
insert_after(src/CMakeLists.txt "graph/npz.cpp" " graph/pairs.cpp graph/ties.cpp")
insert_after(tests/CMakeLists.txt "graph/npz_test.cpp" " graph/pairs_test.cpp graph/ties_test.cpp")
insert_after(fuzz/CMakeLists.txt "ppgnn_fuzz(npz SEES graph)" "\nppgnn_fuzz(pairs SEES graph)\nppgnn_fuzz(ties SEES graph)")
insert_after(docs/data.md "# " "Pairs and ties too: ")

# One target a fuzzer: the one of a folder is compiled for itself.
set(sources src/graph/pairs.cpp src/graph/ties.cpp src/graph/load.cpp fuzz/pairs_fuzz.cpp)
set(prepare "add_library(other_fuzzer OBJECT ${copy}/fuzz/ties_fuzz.cpp)
target_include_directories(other_fuzzer PRIVATE ${copy}/include ${copy}/fuzz)")
set(tests tests/graph/pairs_test.cpp tests/graph/ties_test.cpp)
set(rooms graph io seeded random core)
set(packages TBB::tbb CURL::libcurl PkgConfig::libzip PkgConfig::xxhash)
set(filter "Pairs.*:Ties.*")
