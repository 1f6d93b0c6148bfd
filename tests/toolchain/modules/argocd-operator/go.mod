module toolchain/argocd-operator

go 1.26

require github.com/argoproj-labs/argocd-operator v0.17.0
