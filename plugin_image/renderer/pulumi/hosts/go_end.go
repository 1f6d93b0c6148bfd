// Becomes a part of a Pulumi SDK before 3.182, whose own RunWithContext goes by another name.

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
	// In this form for as long as gRPC has a version 1; the SDK's own connection is elsewhere
	// in each of its versions.
	connection, err := grpc.Dial(os.Getenv(EnvMonitor), grpc.WithInsecure())
	if err != nil {
		return err
	}
	defer connection.Close()
	const signal = "/pulumirpc.ResourceMonitor/SignalAndWaitForShutdown"
	return connection.Invoke(context.Background(), signal, &emptypb.Empty{}, &emptypb.Empty{})
}
