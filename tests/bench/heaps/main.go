// Heaps writes the heap profile of its own type-checking of one package of
// the standard library, and of all that it imports, from source.
//
//	heaps PACKAGE >PROFILE
package main

import (
	"fmt"
	"go/importer"
	"go/token"
	"os"
	"runtime"
	"runtime/pprof"
)

func main() {
	runtime.MemProfileRate = 16 << 10
	imports := importer.ForCompiler(token.NewFileSet(), "source", nil)
	pkg, err := imports.Import(os.Args[1])
	if err == nil {
		err = pprof.Lookup("heap").WriteTo(os.Stdout, 0)
	}
	runtime.KeepAlive(pkg)
	if err != nil {
		fmt.Fprintln(os.Stderr, "heaps:", err)
		os.Exit(1)
	}
}
