package main

import "syscall"

// Of HTTP/2, as in renderer/probe.py: how a client begins, with no settings of its own, and the type
// of the frame with which a server answers.
const (
	greeting     = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"
	frameBytes   = 9
	frameType    = 3
	settings     = 4
	answerMicros = 500_000
)

// answers tells whether a server greets on the unix socket at a path at once. One that takes longer
// gets its time from the command in Python.
func answers(path string) bool {
	connection, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return false
	}
	limit := syscall.Timeval{Usec: answerMicros}
	for _, waiting := range []int{syscall.SO_SNDTIMEO, syscall.SO_RCVTIMEO} {
		if syscall.SetsockoptTimeval(connection, syscall.SOL_SOCKET, waiting, &limit) != nil {
			return false
		}
	}
	if syscall.Connect(connection, &syscall.SockaddrUnix{Name: path}) != nil {
		return false
	}
	if writeAll(connection, []byte(greeting)) != nil {
		return false
	}
	frame := make([]byte, frameBytes)
	length, _, err := syscall.Recvfrom(connection, frame, syscall.MSG_WAITALL)
	return err == nil && length > frameType && frame[frameType] == settings
}
