// The kpt command as far as a render needs it: `kpt fn`.
package main

import (
	"context"
	"os"

	"github.com/kptdev/kpt/commands/fn"
	"github.com/kptdev/kpt/pkg/printer"
	"github.com/spf13/cobra"
)

func main() {
	ctx := printer.WithContext(context.Background(), printer.New(os.Stdout, os.Stderr))
	root := &cobra.Command{Use: "kpt", SilenceUsage: true}
	root.AddCommand(fn.GetCommand(ctx, "kpt"))
	if err := root.Execute(); err != nil {
		os.Exit(1)
	}
}
