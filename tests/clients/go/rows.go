package main

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tsuna/gohbase/filter"
	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/pb"
)

func (s *suite) pointOperations() {
	s.check("puts by many at once", s.puts)
	s.check("gets: columns, versions, time ranges, filters, limits", s.gets)
	s.check("times to live and durabilities", s.times)
	s.check("deletes", s.deletes)
	s.check("increments and appends", s.counters)
	s.check("checkAndPut and checkAndMutate", s.checks)
	s.check("a batch of everything, of which one fails", s.batch)
	s.check("a family, a table that there is not", func() {
		_, err := s.client.Get(must(hrpc.NewGetStr(s.ctx, table, "r", hrpc.Families(map[string][]string{"nobodys": nil}))))
		refused("NoSuchColumnFamilyException", err)
		_, err = s.client.Get(must(hrpc.NewGetStr(s.ctx, "nobodys", "r")))
		refused("table not found", err)
	})
}

// Several go at once, so that gohbase puts them together.
func (s *suite) atOnce(n int, work func(int)) {
	const workers = 16
	var group sync.WaitGroup
	var failure atomic.Value
	for w := range workers {
		group.Add(1)
		go func() {
			defer group.Done()
			defer func() {
				if f := recover(); f != nil {
					failure.CompareAndSwap(nil, &f)
				}
			}()
			for i := w; i < n; i += workers {
				work(i)
			}
		}()
	}
	group.Wait()
	if f := failure.Load(); f != nil {
		panic(*f.(*any))
	}
}

func parity(i int) string {
	if i%2 == 0 {
		return "even"
	}
	return "odd"
}

func (s *suite) puts() {
	s.atOnce(rows, func(i int) {
		s.put(row(i), values("f", "number", strconv.Itoa(i), "parity", parity(i)), hrpc.TimestampUint64(1000))
	})
	for _, i := range []int{0, 1999, 2000, 3999, 4000, rows - 1} {
		expect("f:number="+strconv.Itoa(i)+" f:parity="+parity(i)+" ", s.get(row(i)))
	}
	large := bytes.Repeat([]byte("0123456789abcdef"), 200_000)
	s.put("large", families{"g": {"q": large}})
	expect(true, bytes.Equal(large, must(s.client.Get(must(hrpc.NewGetStr(s.ctx, table, "large")))).Cells[0].Value))
	s.put("\x00\xff\x01", values("g", "\xff\x00", "\x00"))
	expect("g:\xff\x00=\x00 ", s.get("\x00\xff\x01"))
}

func (s *suite) gets() {
	expect("", s.get("nobodys row"))
	only := hrpc.Families(map[string][]string{"f": {"parity", "nobodys"}})
	expect("f:parity=odd ", s.get(row(7), only))
	for i := range 7 {
		s.put("versions", values("f", "q", strconv.Itoa(i)), hrpc.TimestampUint64(uint64(i+1)))
	}
	expect("f:q=6 ", s.get("versions"))
	// the family keeps five
	expect("f:q=6 f:q=5 f:q=4 f:q=3 f:q=2 ", s.get("versions", hrpc.MaxVersions(100)))
	expect("f:q=4 f:q=3 ", s.get("versions", hrpc.MaxVersions(2), hrpc.TimeRangeUint64(3, 6)))
	expect("f:number=8 ", s.get(row(8), hrpc.Filters(filter.NewColumnPrefixFilter([]byte("num")))))
	expect("f:number=8 ", s.get(row(8), hrpc.MaxResultsPerColumnFamily(1)))
	expect("f:parity=even ", s.get(row(8), hrpc.MaxResultsPerColumnFamily(1), hrpc.ResultOffset(1)))
	expect("f:parity=even ", s.get(row(8), hrpc.CacheBlocks(false), hrpc.Priority(5), only))
	get := must(hrpc.NewGetStr(s.ctx, table, row(8)))
	get.ExistsOnly()
	expect(true, *must(s.client.Get(get)).Exists)
}

func (s *suite) times() {
	s.put("short-lived", values("f", "q", "v"), hrpc.TTL(300*time.Millisecond))
	for _, durability := range []hrpc.DurabilityType{hrpc.UseDefault, hrpc.SkipWal, hrpc.AsyncWal, hrpc.SyncWal, hrpc.FsyncWal} {
		s.put("durable", values("f", strconv.Itoa(int(durability)), "v"), hrpc.Durability(durability))
	}
	expect("f:0=v f:1=v f:2=v f:3=v f:4=v ", s.get("durable"))
	for limit := time.Now().Add(patience); s.get("short-lived") != ""; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(limit) {
			panic("it lives on")
		}
	}
}

func (s *suite) deletes() {
	for _, qualifier := range []string{"a", "b", "c"} {
		for i := range 3 {
			s.put("deletes", values("f", qualifier, strconv.Itoa(i+1)), hrpc.TimestampUint64(uint64(i+1)))
		}
	}
	s.put("deletes", values("g", "q", "v"))
	remove := func(v families, options ...func(hrpc.Call) error) {
		must(s.client.Delete(must(hrpc.NewDelStr(s.ctx, table, "deletes", v, options...))))
	}
	all := hrpc.MaxVersions(5)
	remove(values("f", "a", ""), hrpc.TimestampUint64(2), hrpc.DeleteOneVersion())
	remove(values("f", "b", ""), hrpc.TimestampUint64(2))
	remove(values("f", "c", ""))
	expect("f:a=3 f:a=1 f:b=3 g:q=v ", s.get("deletes", all))
	remove(families{"f": nil}, hrpc.TimestampUint64(1))
	expect("f:a=3 f:b=3 g:q=v ", s.get("deletes", all))
	remove(families{"f": nil})
	expect("g:q=v ", s.get("deletes", all))
	remove(nil)
	expect("", s.get("deletes", all))
}

func (s *suite) counters() {
	s.atOnce(400, func(int) {
		must(s.client.Increment(must(hrpc.NewIncStrSingle(s.ctx, table, "counter", "f", "n", 3))))
		must(s.client.Append(must(hrpc.NewAppStr(s.ctx, table, "appended", values("f", "q", "ab")))))
	})
	expect(1199, must(s.client.Increment(must(hrpc.NewIncStrSingle(s.ctx, table, "counter", "f", "n", -1)))))
	expect("f:q="+strings.Repeat("ab", 400)+"! ", text(must(s.client.Append(must(hrpc.NewAppStr(s.ctx, table, "appended", values("f", "q", "!")))))))
	value := must(s.client.Get(must(hrpc.NewGetStr(s.ctx, table, "counter")))).Cells[0].Value
	expect(1199, binary.BigEndian.Uint64(value))
}

func (s *suite) checks() {
	checked := func(new string, old []byte) bool {
		put := must(hrpc.NewPutStr(s.ctx, table, "checked", values("f", "q", new)))
		return must(s.client.CheckAndPut(put, "f", "q", old))
	}
	expect(true, checked("first", nil))
	expect(false, checked("again", nil))
	expect(false, checked("wrong", []byte("something else")))
	expect(true, checked("5", []byte("first")))
	put := func(v string) *hrpc.Mutate { return must(hrpc.NewPutStr(s.ctx, table, "checked", values("f", "q", v))) }
	// the value given is on the left: 7 > 5
	expect(true, must(s.client.CheckAndPutWithCompareType(put("6"), "f", "q", []byte("7"), pb.CompareType_GREATER)))
	binaryComparator := filter.NewBinaryComparator(filter.NewByteArrayComparable([]byte("6")))
	remove := must(hrpc.NewDelStr(s.ctx, table, "checked", values("f", "q", "")))
	mutate := must(hrpc.NewCheckAndMutate(remove, "f", "q", pb.CompareType_NOT_EQUAL, binaryComparator))
	expect(false, must(s.client.CheckAndMutate(mutate)))
	mutate = must(hrpc.NewCheckAndMutateWithFilter(put("8"), filter.NewValueFilter(filter.NewCompareFilter(filter.Equal, binaryComparator))))
	expect(true, must(s.client.CheckAndMutate(mutate)))
	expect("f:q=8 ", s.get("checked"))
}

func (s *suite) batch() {
	var calls []hrpc.Call
	for i := range 900 {
		key := row(i * 6)
		switch i % 3 {
		case 0:
			calls = append(calls, must(hrpc.NewGetStr(s.ctx, table, key)))
		case 1:
			calls = append(calls, must(hrpc.NewPutStr(s.ctx, table, key, values("g", "batch", key))))
		case 2:
			calls = append(calls, must(hrpc.NewIncStrSingle(s.ctx, table, key, "g", "count", int64(i))))
		}
	}
	bad := len(calls)
	calls = append(calls, must(hrpc.NewPutStr(s.ctx, table, row(1), values("nobodys", "q", "v"))))
	calls = append(calls, must(hrpc.NewDelStr(s.ctx, table, row(6), families{"g": nil})))
	results, ok := s.client.SendBatch(s.ctx, calls)
	expect(false, ok)
	for i, result := range results {
		if i == bad {
			refused("NoSuchColumnFamilyException", result.Error)
			continue
		}
		done(result.Error)
		if i < 900 && i%3 == 0 {
			found := hrpc.ToLocalResult(result.Msg.(*pb.GetResponse).Result)
			expect(row(i*6), string(found.Cells[0].Row))
			expect("f:number="+strconv.Itoa(i*6)+" f:parity=even ", text(found))
		}
	}
	expect("g:batch="+row(4*6)+" ", s.get(row(4*6), hrpc.Families(map[string][]string{"g": nil})))
}
