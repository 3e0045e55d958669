// Every operation of gohbase against a server: HOST:ZOOKEEPER_PORT ADMINISTRATION, the latter a program that does what
// gohbase has no calls for (split TABLE ROW, merge TABLE, flush TABLE).
package main

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"time"

	"github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/hrpc"
)

const (
	table = "gohbase"
	rows  = 6000
	// Nothing takes as long.
	patience = 180 * time.Second
)

var splits = []string{"row-02000", "row-04000"}

type suite struct {
	client         gohbase.Client
	admin          gohbase.AdminClient
	ctx            context.Context
	administration string
	passed         int
}

func main() {
	slog.SetLogLoggerLevel(slog.LevelError)
	ctx, cancel := context.WithTimeout(context.Background(), 10*patience)
	defer cancel()
	s := &suite{
		client:         gohbase.NewClient(os.Args[1]),
		admin:          gohbase.NewAdminClient(os.Args[1]),
		ctx:            ctx,
		administration: os.Args[2],
	}
	s.tables()
	s.pointOperations()
	s.scans()
	s.check("regions that move under writers and scanners", s.move)
	s.check("tables that are dropped", s.drop)
	s.client.Close()
	fmt.Println(s.passed, "checks")
}

func (s *suite) check(name string, run func()) {
	defer func() {
		if failure := recover(); failure != nil {
			fmt.Printf("FAIL %s: %v\n", name, failure)
			os.Exit(1)
		}
		s.passed++
		fmt.Println("PASS", name)
	}()
	run()
}

func (s *suite) administer(arguments ...string) {
	out, err := exec.CommandContext(s.ctx, s.administration, arguments...).CombinedOutput()
	if err != nil {
		panic(fmt.Sprintf("%v: %v: %s", arguments, err, out))
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func done(err error) {
	if err != nil {
		panic(err)
	}
}

func expect(wanted, found any) {
	if fmt.Sprint(wanted) != fmt.Sprint(found) {
		panic(fmt.Sprintf("found %v, not %v", found, wanted))
	}
}

// refused: err is an exception of this class.
func refused(class string, err error) {
	if err == nil || !bytes.Contains([]byte(err.Error()), []byte(class)) {
		panic(fmt.Sprintf("not %s but: %v", class, err))
	}
}

func row(i int) string { return fmt.Sprintf("row-%05d", i) }

type families = map[string]map[string][]byte

func values(family string, pairs ...string) families {
	columns := map[string][]byte{}
	for i := 0; i < len(pairs); i += 2 {
		columns[pairs[i]] = []byte(pairs[i+1])
	}
	return families{family: columns}
}

func (s *suite) put(key string, v families, options ...func(hrpc.Call) error) {
	must(s.client.Put(must(hrpc.NewPutStr(s.ctx, table, key, v, options...))))
}

// get: the cells of a row as text.
func (s *suite) get(key string, options ...func(hrpc.Call) error) string {
	return text(must(s.client.Get(must(hrpc.NewGetStr(s.ctx, table, key, options...)))))
}

func text(result *hrpc.Result) string {
	out := ""
	for _, cell := range result.Cells {
		out += fmt.Sprintf("%s:%s=%s ", cell.Family, cell.Qualifier, cell.Value)
	}
	return out
}
