//! A workload as its properties describe it.

use super::{Fields, Preset, Properties};
use crate::distribution::Distribution;
use crate::error::{PeError, Result};
use crate::random::Random;
use finback_client::Durability;
use std::str::FromStr;

/// Most fields of a record, and longest of them: each client keeps a record in memory.
const MAX_FIELDS: usize = 100_000;
const MAX_FIELD_LENGTH: usize = 64 << 20;
/// Longest scan, and widest key.
const MAX_SCAN_LENGTH: usize = 1 << 30;
const MAX_PADDING: usize = 1000;

/// How lengths are distributed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LengthLaw {
    Constant,
    Uniform,
    Zipfian,
}

/// What a workload does, how often, to which records.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// Records that are there when the workload begins.
    pub(crate) records: u64,
    /// Operations of the workload; records to insert, of a load.
    pub(crate) operations: u64,
    pub(crate) first: u64,
    pub(crate) fields: Fields,
    pub(crate) family: String,
    pub(crate) field_length: (usize, usize),
    pub(crate) field_law: LengthLaw,
    pub(crate) read_all: bool,
    pub(crate) write_all: bool,
    /// Shares of reads, updates, inserts, scans and read-modify-writes; each with those before it, up to 1.
    pub(crate) shares: [f64; 5],
    pub(crate) requests: Distribution,
    pub(crate) scan_length: (usize, usize),
    pub(crate) scan_law: LengthLaw,
    pub(crate) ordered: bool,
    pub(crate) zero_padding: usize,
    pub(crate) durability: Durability,
    /// Bytes to gather before writes are sent, if they are gathered.
    pub(crate) buffering: Option<usize>,
}

/// Reads numbers with defaults and limits.
struct Reader<'a>(&'a Properties);

impl Reader<'_> {
    fn number<T: FromStr + PartialOrd + std::fmt::Display>(
        &self,
        name: &str,
        default: T,
        most: T,
    ) -> Result<T> {
        match self.0.number::<T>(name)? {
            None => Ok(default),
            Some(number) if number <= most => Ok(number),
            Some(number) => Err(PeError::usage(format!("-p {name}={number}: at most {most}"))),
        }
    }

    fn share(&self, name: &str, default: f64) -> Result<f64> {
        match self.0.number::<f64>(name)?.unwrap_or(default) {
            share if share >= 0.0 && share.is_finite() => Ok(share),
            share => Err(PeError::usage(format!("-p {name}={share}: a share is 0 or more"))),
        }
    }

    fn above_zero(&self, name: &str, default: f64, most: f64) -> Result<f64> {
        match self.number(name, default, most)? {
            number if number > 0.0 => Ok(number),
            number => Err(PeError::usage(format!("-p {name}={number}: more than 0"))),
        }
    }

    fn word<T: Copy>(&self, name: &str, default: T, known: &[(&str, T)]) -> Result<T> {
        let Some(text) = self.0.text(name) else { return Ok(default) };
        let found = known.iter().find(|(word, _)| word.eq_ignore_ascii_case(text));
        found.map(|(_, value)| *value).ok_or_else(|| {
            let words: Vec<&str> = known.iter().map(|(word, _)| *word).collect();
            PeError::usage(format!("-p {name}={text}: one of {}", words.join(", ")))
        })
    }
}

const LAWS: &[(&str, LengthLaw)] =
    &[("constant", LengthLaw::Constant), ("uniform", LengthLaw::Uniform), ("zipfian", LengthLaw::Zipfian)];

const DURABILITIES: &[(&str, Durability)] = &[
    ("USE_DEFAULT", Durability::UseDefault),
    ("SKIP_WAL", Durability::SkipWal),
    ("ASYNC_WAL", Durability::AsyncWal),
    ("SYNC_WAL", Durability::SyncWal),
    ("FSYNC_WAL", Durability::FsyncWal),
];

impl Plan {
    /// The workload of these properties; a load has no preset.
    pub(crate) fn read(properties: &Properties, preset: Option<Preset>) -> Result<Self> {
        let properties = properties.clone().over(preset.map_or(&[], Preset::properties));
        let reader = Reader(&properties);
        let records = reader.number("recordcount", 1000, u64::MAX >> 1)?;
        let first = reader.number("insertstart", 0, u64::MAX >> 1)?;
        let inserts = reader.number("insertcount", records.saturating_sub(first), u64::MAX >> 1)?;
        if first.checked_add(inserts).is_none_or(|end| end > records) {
            return Err(PeError::usage(format!(
                "insertstart and insertcount lie beyond -p recordcount={records}: {first} and {inserts}"
            )));
        }
        let operations = match preset {
            None => inserts,
            Some(_) => reader.number("operationcount", 1000, u64::MAX >> 1)?,
        };
        let verifiable = properties.truth("dataintegrity", false)?;
        let field_law = reader.word("fieldlengthdistribution", LengthLaw::Constant, LAWS)?;
        let plan = Self {
            records: inserts,
            operations,
            first,
            fields: fields(&reader, verifiable)?,
            family: properties.text("columnfamily").unwrap_or("family").to_owned(),
            field_length: (
                reader.number("minfieldlength", 1, MAX_FIELD_LENGTH)?,
                reader.number("fieldlength", 100, MAX_FIELD_LENGTH)?,
            ),
            field_law,
            // A record can only be verified as a whole.
            read_all: properties.truth("readallfields", true)? || verifiable,
            write_all: properties.truth("writeallfields", false)?,
            shares: shares(&reader)?,
            requests: requests(&reader)?,
            scan_length: (
                reader.number("minscanlength", 1, MAX_SCAN_LENGTH)?,
                reader.number("maxscanlength", 1000, MAX_SCAN_LENGTH)?,
            ),
            scan_law: reader.word("scanlengthdistribution", LengthLaw::Uniform, &LAWS[1..])?,
            ordered: reader.word("insertorder", false, &[("hashed", false), ("ordered", true)])?,
            zero_padding: reader.number("zeropadding", 1, MAX_PADDING)?,
            durability: reader.word("durability", Durability::UseDefault, DURABILITIES)?,
            buffering: properties
                .truth("clientbuffering", false)?
                .then(|| reader.number("writebuffersize", 12 << 20, 1 << 30))
                .transpose()?,
        };
        plan.check(preset)?;
        Ok(plan)
    }

    fn check(&self, preset: Option<Preset>) -> Result<()> {
        if self.field_length.0 > self.field_length.1 || self.scan_length.0 > self.scan_length.1 {
            return Err(PeError::usage("the least length of fields, or scans, is above the greatest"));
        }
        if preset.is_some() && self.records == 0 {
            return Err(PeError::usage("a workload needs records: -p recordcount=N as for ycsbLoad"));
        }
        if preset.is_some() && self.shares[4] <= 0.0 {
            return Err(PeError::usage("all proportions are 0: there is nothing to do"));
        }
        Ok(())
    }

    /// The length of a field.
    pub(crate) fn field_length(&self, random: &mut Random) -> usize {
        let (least, most) = self.field_length;
        length(self.field_law, least, most, random)
    }

    /// The rows of a scan.
    pub(crate) fn scan_length(&self, random: &mut Random) -> usize {
        let (least, most) = self.scan_length;
        length(self.scan_law, least, most, random)
    }
}

fn length(law: LengthLaw, least: usize, most: usize, random: &mut Random) -> usize {
    let count = (most - least) as u64 + 1;
    match law {
        LengthLaw::Constant => most,
        LengthLaw::Uniform => least + random.below(count) as usize,
        LengthLaw::Zipfian => least + Distribution::Zipfian.chooser(0, count).next(random, 0) as usize,
    }
}

fn fields(reader: &Reader<'_>, verifiable: bool) -> Result<Fields> {
    let count = reader.number("fieldcount", 10, MAX_FIELDS)?;
    if count == 0 {
        return Err(PeError::usage("-p fieldcount=0: a record has at least one field"));
    }
    let prefix = reader.0.text("fieldnameprefix").unwrap_or("field");
    Ok(Fields { names: (0..count).map(|number| format!("{prefix}{number}")).collect(), verifiable })
}

/// Each share with those before it, of a sum of 1.
fn shares(reader: &Reader<'_>) -> Result<[f64; 5]> {
    let mut shares = [
        reader.share("readproportion", 0.95)?,
        reader.share("updateproportion", 0.05)?,
        reader.share("insertproportion", 0.0)?,
        reader.share("scanproportion", 0.0)?,
        reader.share("readmodifywriteproportion", 0.0)?,
    ];
    let sum: f64 = shares.iter().sum();
    let mut before = 0.0;
    for share in &mut shares {
        before += *share;
        *share = if sum > 0.0 { before / sum } else { 0.0 };
    }
    Ok(shares)
}

fn requests(reader: &Reader<'_>) -> Result<Distribution> {
    let named = |name| Distribution::named(name).unwrap_or(Distribution::Uniform);
    let distribution = reader.word(
        "requestdistribution",
        Distribution::Uniform,
        &[
            ("uniform", Distribution::Uniform),
            // YCSB's zipfian is scrambled: the records that come most often lie anywhere.
            ("zipfian", Distribution::Scrambled),
            ("latest", Distribution::Latest),
            ("hotspot", named("hotspot")),
            ("sequential", Distribution::Sequential),
            ("exponential", named("exponential")),
        ],
    )?;
    Ok(match distribution {
        Distribution::Hotspot { data, operations } => Distribution::Hotspot {
            data: reader.number("hotspotdatafraction", data, 1.0)?,
            operations: reader.number("hotspotopnfraction", operations, 1.0)?,
        },
        Distribution::Exponential { percent, part } => Distribution::Exponential {
            percent: reader.above_zero("exponential.percentile", percent, 99.999)?,
            part: reader.above_zero("exponential.frac", part, 1000.0)?,
        },
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(preset: Option<Preset>, given: &[&str]) -> Result<Plan> {
        let mut properties = Properties::default();
        given.iter().try_for_each(|text| properties.take(text))?;
        Plan::read(&properties, preset)
    }

    #[test]
    fn workloads_are_those_of_ycsb() {
        for (preset, shares, requests) in [
            (Preset::A, [0.5, 1.0, 1.0, 1.0, 1.0], Distribution::Scrambled),
            (Preset::B, [0.95, 1.0, 1.0, 1.0, 1.0], Distribution::Scrambled),
            (Preset::C, [1.0, 1.0, 1.0, 1.0, 1.0], Distribution::Scrambled),
            (Preset::D, [0.95, 0.95, 1.0, 1.0, 1.0], Distribution::Latest),
            (Preset::E, [0.0, 0.0, 0.05, 1.0, 1.0], Distribution::Scrambled),
            (Preset::F, [0.5, 0.5, 0.5, 0.5, 1.0], Distribution::Scrambled),
        ] {
            let plan = plan(Some(preset), &[]).unwrap();
            for (found, wanted) in plan.shares.iter().zip(shares) {
                assert!((found - wanted).abs() < 1e-9, "{preset:?}: {:?}", plan.shares);
            }
            assert_eq!(plan.requests, requests);
            assert_eq!((plan.records, plan.operations, plan.fields.names.len()), (1000, 1000, 10));
        }
        assert_eq!(plan(Some(Preset::E), &[]).unwrap().scan_length, (1, 100));
    }

    #[test]
    fn a_load_inserts_its_part() {
        let load =
            plan(None, &["recordcount=500", "insertstart=100", "insertcount=50", "fieldcount=2"]).unwrap();
        assert_eq!((load.first, load.operations), (100, 50));
        assert_eq!(load.fields.names, ["field0", "field1"]);
        assert_eq!(plan(None, &["recordcount=500", "insertstart=100"]).unwrap().operations, 400);
    }

    #[test]
    fn what_cannot_be_is_told() {
        for (given, told) in [
            (&["recordcount=0"][..], "a workload needs records"),
            (&["recordcount=5", "insertcount=9"], "lie beyond"),
            (&["fieldcount=0"], "at least one field"),
            (&["minfieldlength=9", "fieldlength=3"], "above the greatest"),
            (&["requestdistribution=normal"], "one of uniform, zipfian"),
            (&["readproportion=-1"], "a share is 0 or more"),
            (&["readproportion=0", "updateproportion=0"], "nothing to do"),
            (&["fieldlength=99999999999"], "at most"),
            (&["requestdistribution=exponential", "exponential.percentile=0"], "more than 0"),
            (&["requestdistribution=exponential", "exponential.percentile=-5"], "more than 0"),
            (&["requestdistribution=exponential", "exponential.frac=0"], "more than 0"),
            (&["requestdistribution=exponential", "exponential.frac=NaN"], "at most"),
        ] {
            let error = plan(Some(Preset::A), given).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
    }

    #[test]
    fn lengths_stay_within_their_bounds() {
        let mut random = Random::of_client(9, 9);
        for law in ["constant", "uniform", "zipfian"] {
            let law = format!("fieldlengthdistribution={law}");
            let plan = plan(Some(Preset::A), &[&law, "minfieldlength=5", "fieldlength=9"]).unwrap();
            assert!((0..100).all(|_| (5..=9).contains(&plan.field_length(&mut random))));
        }
    }
}
