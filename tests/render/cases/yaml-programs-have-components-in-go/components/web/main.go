package main

import (
	"context"
	"log"

	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
)

func main() {
	provider, err := infer.NewProviderBuilder().
		WithComponents(infer.ComponentF(NewApplication)).
		WithModuleMap(map[tokens.ModuleName]tokens.ModuleName{"main": "index"}).
		Build()
	if err != nil {
		log.Fatal(err)
	}
	if err := provider.Run(context.Background(), "web", "0.1.0"); err != nil {
		log.Fatal(err)
	}
}
