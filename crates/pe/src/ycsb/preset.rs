//! The six workloads, as YCSB's files of them have it.

/// A core workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Preset {
    A,
    B,
    C,
    D,
    E,
    F,
}

impl Preset {
    /// The properties in which it differs from YCSB's defaults.
    pub(crate) fn properties(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::A => {
                &[("readproportion", "0.5"), ("updateproportion", "0.5"), ("requestdistribution", "zipfian")]
            }
            Self::B => &[
                ("readproportion", "0.95"),
                ("updateproportion", "0.05"),
                ("requestdistribution", "zipfian"),
            ],
            Self::C => {
                &[("readproportion", "1"), ("updateproportion", "0"), ("requestdistribution", "zipfian")]
            }
            Self::D => &[
                ("readproportion", "0.95"),
                ("updateproportion", "0"),
                ("insertproportion", "0.05"),
                ("requestdistribution", "latest"),
            ],
            Self::E => &[
                ("readproportion", "0"),
                ("updateproportion", "0"),
                ("scanproportion", "0.95"),
                ("insertproportion", "0.05"),
                ("requestdistribution", "zipfian"),
                ("maxscanlength", "100"),
                ("scanlengthdistribution", "uniform"),
            ],
            Self::F => &[
                ("readproportion", "0.5"),
                ("updateproportion", "0"),
                ("readmodifywriteproportion", "0.5"),
                ("requestdistribution", "zipfian"),
            ],
        }
    }
}
