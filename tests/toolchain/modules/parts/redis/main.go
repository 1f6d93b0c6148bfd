// A Redis in memory for machines without redis-server, with the flags that are used here.
package main

import (
	"flag"
	"log"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/alicebob/miniredis/v2"
)

func main() {
	address := flag.String("bind", "127.0.0.1", "address to listen on")
	port := flag.String("port", "6379", "port to listen on")
	password := flag.String("requirepass", "", "password of the default user")
	flag.String("save", "", "accepted for redis-server's sake: nothing is ever saved")
	flag.String("appendonly", "no", "accepted for redis-server's sake: nothing is ever saved")
	flag.Parse()

	server := miniredis.NewMiniRedis()
	if *password != "" {
		server.RequireAuth(*password)
	}
	if err := server.StartAddr(net.JoinHostPort(*address, *port)); err != nil {
		log.Fatal(err)
	}
	defer server.Close()

	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	// Its clock stands still by itself, and nothing would ever expire.
	tick := time.NewTicker(time.Second)
	for {
		select {
		case <-tick.C:
			server.FastForward(time.Second)
		case <-stop:
			return
		}
	}
}
