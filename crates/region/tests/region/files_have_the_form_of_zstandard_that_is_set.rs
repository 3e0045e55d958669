//! Every block of a file of a family with COMPRESSION ZSTD has the form that the server's setting asks for; files of
//! the other are read beside it, and compacted with it: their blocks neither copied nor joined.

use crate::blocks_that_stay_whole_are_copied::{blocks, compact, file_paths, files, open, started};
use crate::world::{World, scan};
use finback_cell::Scan;
use finback_hfile::ZstdForm::{self, Chunks, Frame};
use finback_hfile::testing::stored_blocks;
use finback_region::{CompactionOutcome, Region};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// Of all blocks of a file, of the index and Bloom filters, too.
fn assert_form(world: &World, path: &Path, expected: ZstdForm) {
    let file = open(world, path);
    let found: Vec<_> = stored_blocks(&file).map(|block| ZstdForm::of_stream(block.payload())).collect();
    assert!(found.len() > 5 && found.iter().all(|found| *found == expected), "{found:?}");
}

/// The same region, of a server with another setting.
fn set(world: &mut World, region: Arc<Region>, zstd_form: ZstdForm) -> Arc<Region> {
    region.close().unwrap();
    drop(region);
    world.config.zstd_form = zstd_form;
    world.start().unwrap()
}

/// Files of ten blocks in each of these forms, whose rows follow each other, or come in turns; they become one that has
/// the form `last`.
fn compacted(each: &[ZstdForm], last: ZstdForm, in_turns: bool) -> CompactionOutcome {
    let (mut world, mut region) = started(&[("COMPRESSION", "ZSTD")]);
    let mut known = BTreeSet::new();
    for (number, zstd_form) in (0..).zip(each) {
        region = set(&mut world, region, *zstd_form);
        for part in 0..if in_turns { 3 } else { 1 } {
            let at = 20 * (number + part * each.len() as u32);
            blocks(&region, at..at + 10);
        }
        for path in file_paths(&world) {
            if known.insert(path.clone()) {
                assert_form(&world, &path, *zstd_form);
            }
        }
    }
    region = set(&mut world, region, last);
    let before = scan(&region, &Scan::default(), None).unwrap();
    let outcome = compact(&region);
    assert!(scan(&region, &Scan::default(), None).unwrap() == before);
    assert_eq!((outcome.inputs, files(&world).len()), (known.len(), 1));
    assert_form(&world, &file_paths(&world)[0], last);
    outcome
}

#[test]
fn whatever_becomes_of_their_blocks() {
    for (last, other) in [(Frame, Chunks), (Chunks, Frame)] {
        let outcome = compacted(&[last, last], last, false);
        assert!(outcome.is_joined && outcome.blocks_copied == 20, "{outcome:?}");
        let outcome = compacted(&[other, other], last, false);
        assert!(!outcome.is_joined && outcome.blocks_copied == 0, "{outcome:?}");
        let outcome = compacted(&[last, other, last], last, false);
        assert!(!outcome.is_joined && outcome.blocks_copied == 20, "{outcome:?}");
        let outcome = compacted(&[other, last], last, true);
        assert!(!outcome.is_joined && (20..=30).contains(&outcome.blocks_copied), "{outcome:?}");
    }
}

#[test]
fn nothing_else_changes_where_another_codec_compresses() {
    let (mut world, mut region) = started(&[("COMPRESSION", "LZ4")]);
    for (number, zstd_form) in (0..).zip([Frame, Chunks]) {
        region = set(&mut world, region, zstd_form);
        blocks(&region, 20 * number..20 * number + 10);
    }
    let outcome = compact(&region);
    assert!(outcome.is_joined && outcome.blocks_copied == 20, "{outcome:?}");
}
