use super::*;

const PORTS: Ports = Ports { zookeeper: 1, master: 2, regionserver: 3 };

#[test]
fn hsync_is_the_only_difference_between_the_two_guarantees() {
    let (without, with) =
        (site(Path::new("/d"), &[], &PORTS, false), site(Path::new("/d"), &[], &PORTS, true));
    let more: Vec<&str> = with.lines().filter(|line| !without.contains(line)).collect();
    assert_eq!(more, ["  <property><name>hbase.wal.hsync</name><value>true</value></property>"]);
}

#[test]
fn settings_of_the_caller_and_ports_are_in_the_configuration() {
    let settings = [("hbase.hregion.memstore.flush.size".to_owned(), "512m".to_owned())];
    let site = site(Path::new("/d"), &settings, &PORTS, false);
    assert!(site.contains("<name>hbase.hregion.memstore.flush.size</name><value>512m</value>"));
    assert!(site.contains("<name>hbase.zookeeper.property.clientPort</name><value>1</value>"));
    assert!(site.contains("<name>hbase.rootdir</name><value>file:///d/root</value>"));
}
