// The command that Argo CD runs for each render: short, for a server that is warm does the work. And
// the one that probes the container: what it asks for takes less than an interpreter's start.
//
// The server (renderer/server.py) gets the environment, the folder and this process's files, and
// tells how the render ended. Where it is not there, refuses or dies, the command in Python beside
// this one takes its place: it renders, and starts a server for the next ones. Nothing is written to
// stdout before all of it is known. This process's end, however it comes, ends the render. What a
// probe has found wrong is told by the command in Python, too, as is everything else.
//
// It is in Go because an interpreter's start would be most of its time.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

const (
	warmDir      = "RENDERER_WARM_DIR"
	messageBytes = 64
	chunkBytes   = 1 << 20
	fix          = "To fix it: make room where the output goes"
)

var errNotRendered = errors.New("the server has not rendered")

func main() {
	if len(os.Args) == 3 && os.Args[1] == "probe" && answers(os.Args[2]) {
		return
	}
	if folder := os.Getenv(warmDir); folder != "" && len(os.Args) == 3 && os.Args[2] == "generate" {
		manifests, status, err := render(folder+"/renderer", os.Args[1])
		if err == nil {
			if status == 0 {
				status = write(manifests)
			}
			os.Exit(status)
		}
	}
	fmt.Fprintln(os.Stderr, become("renderer"))
	os.Exit(1)
}

// become has a command beside this one take its place, and returns why that fails.
func become(name string) error {
	own, err := os.Executable()
	if err != nil {
		return err
	}
	command := filepath.Join(filepath.Dir(own), name)
	err = syscall.Exec(command, append([]string{command}, os.Args[1:]...), os.Environ())
	return fmt.Errorf("%s cannot be run: %w", command, err)
}

// render has the server at a path render, and returns the file with the manifests and the exit
// status. With an error, nothing has become of it.
func render(path, renderer string) (manifests, status int, err error) {
	connection, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_SEQPACKET|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, 0, err
	}
	if err := syscall.Connect(connection, &syscall.SockaddrUnix{Name: path}); err != nil {
		return 0, 0, err
	}
	if !isOwn(connection) {
		return 0, 0, errNotRendered
	}
	environment, err := payload(renderer)
	if err != nil {
		return 0, 0, err
	}
	folder, err := syscall.Open(".", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return 0, 0, err
	}
	manifests, err = nameless("stdout")
	if err != nil {
		return 0, 0, err
	}
	files := syscall.UnixRights(environment, folder, syscall.Stdin, manifests, syscall.Stderr)
	if err := syscall.Sendmsg(connection, []byte("render"), files, nil, 0); err != nil {
		return 0, 0, err
	}
	answer := make([]byte, messageBytes)
	length, err := syscall.Read(connection, answer)
	if err != nil {
		return 0, 0, err
	}
	word, told, _ := bytes.Cut(answer[:length], []byte(" "))
	if string(word) != "ended" {
		return 0, 0, errNotRendered
	}
	status, err = strconv.Atoi(string(told))
	return manifests, status, err
}

// payload returns a file with what is asked for. It has no name: the environment holds secrets.
func payload(renderer string) (int, error) {
	file, err := nameless("environment")
	if err != nil {
		return 0, err
	}
	told := []byte(renderer)
	for _, variable := range os.Environ() {
		told = append(append(told, 0), variable...)
	}
	return file, writeAll(file, told)
}

func writeAll(file int, content []byte) error {
	for len(content) > 0 {
		written, err := syscall.Write(file, content)
		if err != nil {
			return err
		}
		content = content[written:]
	}
	return nil
}

// write writes the manifests to stdout, and returns the exit status.
func write(manifests int) int {
	chunk := make([]byte, chunkBytes)
	for offset := int64(0); ; {
		length, err := syscall.Pread(manifests, chunk, offset)
		if err == nil && length == 0 {
			return 0
		}
		if err == nil {
			err = writeAll(syscall.Stdout, chunk[:length])
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "the manifests cannot be written: %v. %s\n", err, fix)
			return 1
		}
		offset += int64(length)
	}
}
