package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"unsafe"
)

// guard is the name of the processes below which programs run: see renderer/ancestry.py.
const guard = "renderer-guard"

const closeOnExec = 1 // MFD_CLOEXEC

// memfdCreate is the number of the system call, which Go's own packages do not name everywhere.
// Source: Linux, arch/x86/entry/syscalls/syscall_64.tbl and scripts/syscall.tbl.
var memfdCreate = map[string]uintptr{"amd64": 319, "arm64": 279}[runtime.GOARCH]

// nameless returns a file in memory.
func nameless(name string) (int, error) {
	told, err := syscall.BytePtrFromString(name)
	if err != nil {
		return 0, err
	}
	file, _, failed := syscall.Syscall(memfdCreate, uintptr(unsafe.Pointer(told)), closeOnExec, 0)
	if failed != 0 {
		return 0, failed
	}
	return int(file), nil
}

// isOwn tells whether the server is ours: a program could put another one in its place.
func isOwn(connection int) bool {
	server, err := syscall.GetsockoptUcred(connection, syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	return err == nil && int(server.Uid) == os.Getuid() && !isForeign(int(server.Pid))
}

// isForeign tells whether a process may be a program's, as is_foreign in renderer/ancestry.py does.
func isForeign(pid int) bool {
	return filters(pid) > filters(os.Getpid()) || isBelowGuard(pid)
}

func isBelowGuard(pid int) bool {
	for pid > 1 {
		// The name may have parentheses and spaces of its own.
		stat := read(pid, "stat")
		first, last := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
		if first < 0 || last < first || string(stat[first+1:last]) == guard {
			return true
		}
		rest := bytes.Fields(stat[last+1:])
		if len(rest) < 2 {
			return true
		}
		parent, err := strconv.Atoi(string(rest[1]))
		if err != nil {
			return true
		}
		pid = parent
	}
	return pid != 1
}

func filters(pid int) int {
	_, rest, _ := bytes.Cut(read(pid, "status"), []byte("Seccomp_filters:"))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	count, _ := strconv.Atoi(string(bytes.TrimSpace(line)))
	return count
}

func read(pid int, name string) []byte {
	told, _ := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, name))
	return told
}
