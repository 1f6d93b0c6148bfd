module toolchain/pause

go 1.26
