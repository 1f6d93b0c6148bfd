// Pulumi's Kubernetes provider; schema.json is put beside this file when it is built.
package main

import (
	_ "embed"

	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/provider"
)

// version is set by the linker.
var version string

//go:embed schema.json
var schema []byte

func main() {
	provider.Serve("kubernetes", version, schema, []byte("{}"))
}
