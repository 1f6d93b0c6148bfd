// Pulumi's Kubernetes provider; schema.json is put beside this file when it is built.
package main

import (
	_ "embed"
	"strings"

	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/provider"
)

//go:embed version
var version string

//go:embed schema.json
var schema []byte

func main() {
	provider.Serve("kubernetes", strings.TrimSpace(version), schema, []byte("{}"))
}
