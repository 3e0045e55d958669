package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tsuna/gohbase/hrpc"
)

const counters = 60

func counter(i int) string { return row(i*100) + "-counter" }

// move: regions are divided, merged, closed and opened again under a client that writes, counts and scans.
func (s *suite) move() {
	var ended atomic.Bool
	var scanned, rounds atomic.Int64
	var failure atomic.Value
	var group sync.WaitGroup
	start := func(work func()) {
		group.Add(1)
		go func() {
			defer group.Done()
			defer func() {
				if f := recover(); f != nil {
					failure.CompareAndSwap(nil, fmt.Sprint(f))
				}
			}()
			for !ended.Load() {
				work()
			}
		}()
	}
	start(func() {
		round := strconv.FormatInt(rounds.Load(), 10)
		s.atOnce(counters, func(i int) {
			must(s.client.Increment(must(hrpc.NewIncStrSingle(s.ctx, table, counter(i), "g", "count", 1))))
			s.put(counter(i), values("g", "round-"+round, round))
		})
		rounds.Add(1)
	})
	start(func() {
		s.scanStanding()
		scanned.Add(1)
	})
	s.administer("flush", table)
	s.administer("split", table, row(1000))
	s.administer("split", table, row(5000))
	done(s.admin.DisableTable(hrpc.NewDisableTable(s.ctx, []byte(table))))
	done(s.admin.EnableTable(hrpc.NewEnableTable(s.ctx, []byte(table))))
	s.administer("merge", table)
	for seen := scanned.Load(); scanned.Load() < seen+2 && failure.Load() == nil && s.ctx.Err() == nil; {
		time.Sleep(20 * time.Millisecond)
	}
	ended.Store(true)
	group.Wait()
	if f := failure.Load(); f != nil {
		panic(f)
	}
	for i := range counters {
		result := must(s.client.Get(must(hrpc.NewGetStr(s.ctx, table, counter(i)))))
		expect(rounds.Load()+1, len(result.Cells))
	}
}

// scanStanding: the rows that nobody writes are all there, and once. gohbase does not open a scan again whose region has
// gone: that is its user's part, from the row on that comes next.
func (s *suite) scanStanding() {
	for next := 0; ; {
		scanner := s.client.ScanV2(must(hrpc.NewScanRangeStr(s.ctx, table, row(next), "row-9", numbersOnly, hrpc.NumberOfRows(150))))
		for {
			response, err := scanner.Next()
			if errors.Is(err, io.EOF) {
				expect(rows, next)
				return
			}
			if err != nil {
				if !gone(err) {
					panic(fmt.Sprintf("the scan ended at %d: %v", next, err))
				}
				break
			}
			for _, result := range response.Results {
				expect(next, string(hrpc.ResultV2ToResult(result).Cells[0].Value))
				next++
			}
		}
	}
}

func gone(err error) bool {
	return strings.Contains(err.Error(), "UnknownScannerException") || strings.Contains(err.Error(), "NotServingRegionException")
}
