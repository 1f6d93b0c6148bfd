module toolchain/manifest-work

go 1.26

require open-cluster-management.io/api v1.0.0
