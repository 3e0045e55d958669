package main

import (
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/tsuna/gohbase/filter"
	"github.com/tsuna/gohbase/hrpc"
)

var numbersOnly = hrpc.Families(map[string][]string{"f": {"number"}})

func (s *suite) scans() {
	every := func(int) bool { return true }
	s.check("a scan of three regions", func() { s.scan(every) })
	s.check("few rows, few bytes at a time", func() {
		s.scan(every, hrpc.NumberOfRows(700))
		s.scan(every, hrpc.MaxResultSize(20_000))
	})
	s.check("the second version of the scanner", s.secondVersion)
	s.check("backwards", s.backwards)
	s.check("parts of rows", s.parts)
	s.check("a lease that is renewed while nobody reads", s.lease)
	s.check("what a scan counts", s.metrics)
	s.check("a scan that is closed early", func() {
		scanner := s.client.Scan(must(hrpc.NewScanRangeStr(s.ctx, table, "row-", "row-9", hrpc.NumberOfRows(10))))
		for range 15 {
			must(scanner.Next())
		}
		done(scanner.Close())
	})
	compare := func(op filter.CompareType, value string) *filter.CompareFilter {
		return filter.NewCompareFilter(op, filter.NewBinaryComparator(filter.NewByteArrayComparable([]byte(value))))
	}
	regex := filter.NewRegexStringComparator("^(odd|4[0-9]*1)$", 0, "UTF-8", "JAVA")
	s.filtered("prefix", filter.NewPrefixFilter([]byte("row-021")), func(i int) bool { return i/100 == 21 })
	s.filtered("rows up to one", filter.NewRowFilter(compare(filter.LessOrEqual, row(2500))), func(i int) bool { return i <= 2500 })
	s.filtered("inclusive stop", filter.NewInclusiveStopFilter([]byte(row(2500))), func(i int) bool { return i <= 2500 })
	s.filtered("values by an expression", filter.NewList(filter.MustPassAll, filter.NewFirstKeyOnlyFilter(),
		filter.NewValueFilter(filter.NewCompareFilter(filter.Equal, regex))), func(i int) bool {
		text := strconv.Itoa(i)
		return text[0] == '4' && len(text) > 1 && text[len(text)-1] == '1'
	})
	s.filtered("one value decides", filter.NewSingleColumnValueFilter([]byte("f"), []byte("parity"), filter.Equal,
		filter.NewBinaryComparator(filter.NewByteArrayComparable([]byte("odd"))), true, true), func(i int) bool { return i%2 == 1 })
	s.filtered("fuzzy", filter.NewFuzzyRowFilter([]*filter.BytesBytesPair{
		filter.NewBytesBytesPair([]byte("row-0?3?5"), []byte{0, 0, 0, 0, 0, 1, 0, 1, 0})}), func(i int) bool { return i/100%10 == 3 && i%10 == 5 })
	s.filtered("ranges", filter.NewMultiRowRangeFilter([]*filter.RowRange{
		filter.NewRowRange([]byte(row(10)), []byte(row(20)), true, false), filter.NewRowRange([]byte(row(3990)), []byte(row(4010)), false, true)}),
		func(i int) bool { return i >= 10 && i < 20 || i > 3990 && i <= 4010 })
	s.filtered("one of several", filter.NewList(filter.MustPassOne, filter.NewRowFilter(compare(filter.Equal, row(5))),
		filter.NewRowFilter(filter.NewCompareFilter(filter.Equal, filter.NewSubstringComparator("777")))),
		func(i int) bool { return i == 5 || strings.Contains(row(i), "777") })
	s.filtered("while", filter.NewWhileMatchFilter(filter.NewRowFilter(compare(filter.Less, row(1234)))), func(i int) bool { return i < 1234 })
	s.filtered("skip", filter.NewSkipFilter(filter.NewValueFilter(compare(filter.NotEqual, "even"))), func(i int) bool { return i%2 == 1 })
	s.filtered("pages", filter.NewList(filter.MustPassAll, filter.NewColumnPaginationFilter(1, 0, nil)), every)
	s.filtered("columns", filter.NewMultipleColumnPrefixFilter([][]byte{[]byte("nobody"), []byte("num")}), every)
	s.filtered("a range of columns", filter.NewColumnRangeFilter([]byte("a"), []byte("number"), true, true), every)
	s.filtered("timestamps", filter.NewTimestampsFilter([]int64{7, 1000}), every)
}

func (s *suite) filtered(name string, f filter.Filter, wanted func(int) bool) {
	s.check("filter: "+name, func() { s.scan(wanted, hrpc.Filters(f)) })
}

// scan: the rows are those wanted, in order, none comes twice.
func (s *suite) scan(wanted func(int) bool, options ...func(hrpc.Call) error) {
	options = append(options, hrpc.Families(map[string][]string{"f": nil}))
	scanner := s.client.Scan(must(hrpc.NewScanRangeStr(s.ctx, table, "row-", "row-9", options...)))
	next, found := 0, 0
	for {
		result, err := scanner.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		done(err)
		for next < rows && !wanted(next) {
			next++
		}
		expect(row(next), string(result.Cells[0].Row))
		next, found = next+1, found+1
	}
	for ; next < rows; next++ {
		if wanted(next) {
			panic("missing: " + row(next))
		}
	}
	if found == 0 {
		panic("no row")
	}
}

func (s *suite) secondVersion() {
	scanner := s.client.ScanV2(must(hrpc.NewScanRangeStr(s.ctx, table, "row-", "row-9", numbersOnly)))
	next := 0
	for {
		response, err := scanner.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		done(err)
		for _, result := range response.Results {
			expect(next, string(hrpc.ResultV2ToResult(result).Cells[0].Value))
			next++
		}
	}
	expect(rows, next)
}

func (s *suite) backwards() {
	scanner := s.client.Scan(must(hrpc.NewScanRangeStr(s.ctx, table, row(4500), row(1500), hrpc.Reversed(), numbersOnly)))
	next := 4500
	for {
		result, err := scanner.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		done(err)
		expect(next, string(result.Cells[0].Value))
		next--
	}
	expect(1500, next)
}

// A row of 3 MB, in replies of 300 KB: whole for a client that wants it whole, in parts for one that takes them.
func (s *suite) parts() {
	const columns = 300
	s.atOnce(columns, func(i int) {
		s.put("wide", values("g", strconv.Itoa(1000+i), strings.Repeat("v", 10_000)))
	})
	for _, partial := range []bool{false, true} {
		options := []func(hrpc.Call) error{hrpc.MaxResultSize(300_000)}
		if partial {
			options = append(options, hrpc.AllowPartialResults())
		}
		scanner := s.client.Scan(must(hrpc.NewScanRangeStr(s.ctx, table, "wide", "wide\x00", options...)))
		results, cells := 0, 0
		for {
			result, err := scanner.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			done(err)
			for _, cell := range result.Cells {
				expect(1000+cells, string(cell.Qualifier))
				cells++
			}
			results++
		}
		expect(columns, cells)
		if partial == (results == 1) {
			panic(results)
		}
	}
}

// The client sends renewals at this pace, and goes on where it was.
func (s *suite) lease() {
	const interval = 100 * time.Millisecond
	options := []func(hrpc.Call) error{hrpc.RenewInterval(interval), hrpc.NumberOfRows(10), numbersOnly}
	scanner := s.client.Scan(must(hrpc.NewScanRangeStr(s.ctx, table, "row-", "row-9", options...)))
	for i := range 45 {
		expect(i, string(must(scanner.Next()).Cells[0].Value))
		if i%15 == 9 {
			time.Sleep(5 * interval)
		}
	}
	done(scanner.Close())
}

func (s *suite) metrics() {
	scanner := s.client.Scan(must(hrpc.NewScanRangeStr(s.ctx, table, row(0), row(30), hrpc.TrackScanMetrics(), hrpc.Filters(filter.NewPrefixFilter([]byte("row-0000"))))))
	found := 0
	for {
		_, err := scanner.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		done(err)
		found++
	}
	expect(10, found)
	expect(10, scanner.GetScanMetrics()["ROWS_SCANNED"])
	expect(1, scanner.GetScanMetrics()["ROWS_FILTERED"])
}
