// Becomes part of a Pulumi SDK before 3.182, whose own RunWithContext then has another name.

package pulumi

import (
	"context"
	"os"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
)

// RunWithContext runs a program as the SDK does and then says that it has come to its end, as
// SDKs from 3.182 on do: every registration is made, and none of them has failed.
func RunWithContext(ctx *Context, body RunFunc) error {
	if err := runWithContext(ctx, body); err != nil {
		return err
	}
	// Dial exists for as long as gRPC is at version 1; where the SDK has its own connection
	// differs with its version.
	connection, err := grpc.Dial(os.Getenv(EnvMonitor), grpc.WithInsecure())
	if err != nil {
		return err
	}
	defer connection.Close()
	const signal = "/pulumirpc.ResourceMonitor/SignalAndWaitForShutdown"
	return connection.Invoke(context.Background(), signal, &emptypb.Empty{}, &emptypb.Empty{})
}
