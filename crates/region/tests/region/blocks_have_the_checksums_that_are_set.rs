//! Every block of a file that is written has the checksums that server and family ask for; files with others are read beside it,
//! and compacted with it, by cells, by copied blocks and as joined files.

use crate::blocks_that_stay_whole_are_copied::{blocks, compact, file_paths, files, open, reopened, started};
use crate::world::{World, scan};
use finback_cell::Scan;
use finback_cell::schema::set_entry;
use finback_hfile::ChecksumType;
use finback_hfile::testing::stored_blocks;
use finback_region::{ChecksumConfig, CompactionOutcome, Region};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

const CRC32: ChecksumConfig = ChecksumConfig { checksum_type: ChecksumType::Crc32, bytes_per_checksum: 33 };
const CRC32C: ChecksumConfig =
    ChecksumConfig { checksum_type: ChecksumType::Crc32c, bytes_per_checksum: 1 << 20 };
const NULL: ChecksumConfig = ChecksumConfig { checksum_type: ChecksumType::Null, bytes_per_checksum: 100 };

/// By what the headers of all blocks of a file say, of the index and Bloom filters, too.
fn assert_checksums(world: &World, path: &Path, expected: ChecksumConfig) {
    let file = open(world, path);
    let headers = stored_blocks(&file).map(|block| block.header);
    let found: Vec<_> = headers
        .map(|header| ChecksumConfig {
            checksum_type: header.checksum_type,
            bytes_per_checksum: header.bytes_per_checksum as usize,
        })
        .collect();
    assert!(found.len() > 5 && found.iter().all(|found| *found == expected), "{found:?}");
}

/// The same region, of a server with other settings.
fn set(world: &mut World, region: Arc<Region>, checksums: ChecksumConfig) -> Arc<Region> {
    region.close().unwrap();
    drop(region);
    world.config.checksums = checksums;
    world.start().unwrap()
}

/// A file of these settings for each, whose rows follow each other, or come in turns; they become one that is `last`.
fn compacted(each: &[ChecksumConfig], last: ChecksumConfig, in_turns: bool) -> CompactionOutcome {
    let (mut world, mut region) = started(&[]);
    let mut known = BTreeSet::new();
    for (number, checksums) in (0..).zip(each) {
        region = set(&mut world, region, *checksums);
        for part in 0..if in_turns { 3 } else { 1 } {
            let at = 20 * (number + part * each.len() as u32);
            blocks(&region, at..at + 10);
        }
        for path in file_paths(&world) {
            if known.insert(path.clone()) {
                assert_checksums(&world, &path, *checksums);
            }
        }
    }
    region = set(&mut world, region, last);
    let before = scan(&region, &Scan::default(), None).unwrap();
    let outcome = compact(&region);
    assert!(scan(&region, &Scan::default(), None).unwrap() == before);
    assert_eq!((outcome.inputs, files(&world).len()), (known.len(), 1));
    assert_checksums(&world, &file_paths(&world)[0], last);
    outcome
}

#[test]
fn in_all_files_whatever_becomes_of_their_blocks() {
    for last in [CRC32, CRC32C, NULL, ChecksumConfig::default()] {
        let outcome = compacted(&[CRC32, CRC32C], last, false);
        assert!(outcome.is_joined && outcome.blocks_copied == 20, "{outcome:?}");
        // Who joins files trusts in their checksums: where there are none, cells are looked at.
        let outcome = compacted(&[CRC32, NULL, CRC32C], last, false);
        assert!(!outcome.is_joined && outcome.blocks_copied == 30, "{outcome:?}");
        let outcome = compacted(&[CRC32, NULL], last, true);
        assert!(!outcome.is_joined && outcome.blocks_copied > 50, "{outcome:?}");
    }
}

#[test]
fn those_of_the_family_are_asked_for_first() {
    let (mut world, region) = started(&[]);
    let mut family = world.table.families[0].clone();
    set_entry(&mut family.configuration, "hbase.hstore.checksum.algorithm", "CRC32");
    set_entry(&mut family.configuration, "hbase.hstore.bytes.per.checksum", "33");
    world.config.checksums = NULL;
    let region = reopened(&mut world, region, family);
    blocks(&region, 0..10);
    assert_checksums(&world, &file_paths(&world)[0], CRC32);
}
