package main

import (
	"github.com/tsuna/gohbase/hrpc"
)

func (s *suite) tables() {
	s.check("tables: created, disabled, enabled, listed", s.administrate)
	s.check("the state of the cluster", s.status)
	s.check("the balancer", func() {
		on := must(s.admin.SetBalancer(must(hrpc.NewSetBalancer(s.ctx, false))))
		expect(false, must(s.admin.SetBalancer(must(hrpc.NewSetBalancer(s.ctx, on)))))
	})
}

func (s *suite) administrate() {
	if s.names("^"+table+"$") != 0 {
		s.drop()
	}
	var keys [][]byte
	for _, split := range splits {
		keys = append(keys, []byte(split))
	}
	attributes := map[string]map[string]string{"f": {"VERSIONS": "5"}, "g": nil}
	create := hrpc.NewCreateTable(s.ctx, []byte(table), attributes, hrpc.SplitKeys(keys))
	done(s.admin.CreateTable(create))
	refused("TableExistsException", s.admin.CreateTable(hrpc.NewCreateTable(s.ctx, []byte(table), attributes)))
	refused("TableNotDisabledException", s.admin.DeleteTable(hrpc.NewDeleteTable(s.ctx, []byte(table))))
	refused("TableNotFoundException", s.admin.DisableTable(hrpc.NewDisableTable(s.ctx, []byte("nobodys"))))
	done(s.admin.DisableTable(hrpc.NewDisableTable(s.ctx, []byte(table))))
	refused("TableNotEnabledException", s.admin.DisableTable(hrpc.NewDisableTable(s.ctx, []byte(table))))
	done(s.admin.EnableTable(hrpc.NewEnableTable(s.ctx, []byte(table))))
	expect(1, s.names("^"+table+"$"))
	expect(0, s.names("^nobodys$"))
	system := must(hrpc.NewListTableNames(s.ctx, hrpc.ListNamespace("hbase"), hrpc.ListSysTables(true)))
	if len(must(s.admin.ListTableNames(system))) == 0 {
		panic("no table in the namespace hbase")
	}
}

func (s *suite) names(pattern string) int {
	return len(must(s.admin.ListTableNames(must(hrpc.NewListTableNames(s.ctx, hrpc.ListRegex(pattern))))))
}

func (s *suite) status() {
	status := must(s.admin.ClusterStatus())
	expect(1, len(status.GetLiveServers()))
	expect(0, len(status.GetDeadServers()))
	if status.GetClusterId().GetClusterId() == "" || status.GetMaster().GetPort() == 0 || status.GetHbaseVersion().GetVersion() == "" {
		panic(status)
	}
	load := status.GetLiveServers()[0].GetServerLoad()
	regions := 0
	for _, region := range load.GetRegionLoads() {
		if name := string(region.GetRegionSpecifier().GetValue()); len(name) > len(table) && name[:len(table)+1] == table+"," {
			regions++
		}
	}
	// the server reports now and then
	if regions != 0 && regions != len(splits)+1 {
		panic(regions)
	}
}

func (s *suite) drop() {
	// it may be disabled, by a run that was cut off
	_ = s.admin.DisableTable(hrpc.NewDisableTable(s.ctx, []byte(table)))
	done(s.admin.DeleteTable(hrpc.NewDeleteTable(s.ctx, []byte(table))))
	expect(0, s.names("^"+table+"$"))
}
