//! What a request asks for: the parameters `qry` and `get` of HBase's servlet.

use fancy_regex::{Regex, RegexBuilder};
use std::collections::BTreeMap;

/// A request that makes no sense, in the words of HBase's servlet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadQuery(pub &'static str);

/// Attributes that are asked for by name at a time: each is looked for among all.
const MOST_NAMES: usize = 100;
/// Patterns of attributes at a time: each is tried on all.
const MOST_PATTERNS: usize = 8;
/// Steps of a pattern on a name, and bytes of what a pattern is made into.
const MOST_STEPS: usize = 10_000;
const MOST_PATTERN_BYTES: usize = 1 << 20;

/// Which beans and attributes are asked for.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// None: all beans.
    pattern: Option<Pattern>,
    attributes: Attributes,
}

/// Which attributes of a bean are asked for.
#[derive(Clone, Debug, Default)]
enum Attributes {
    #[default]
    All,
    /// By their names; all of them must be there.
    Named(Vec<String>),
    /// Those that match one of these whole.
    Matching(Vec<Regex>),
}

/// What a bean has of what is asked for.
pub(crate) enum Wanted<'a> {
    /// Names and values.
    All(Vec<(String, String)>),
    /// It has none of this name.
    Missing(&'a str),
}

/// A pattern of names, as Java's `ObjectName` has it: `DOMAIN:KEY=VALUE,KEY=VALUE,*`, with `*` and `?` in the domain and in
/// values; a `*` by itself stands for any further keys.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pattern {
    domain: String,
    properties: BTreeMap<String, String>,
    may_have_more: bool,
}

impl Query {
    /// From the decoded parameters; others are ignored, as there. `get` goes before `qry`.
    ///
    /// # Errors
    /// A parameter is not what it should be.
    pub fn parse(parameters: &[(String, String)]) -> Result<Self, BadQuery> {
        let of = |wanted: &str| parameters.iter().find(|(name, _)| name == wanted).map(|(_, value)| value);
        if let Some(get) = of("get") {
            let (bean, names) = get.split_once("::").ok_or(BadQuery("query format is not as expected."))?;
            if names.is_empty() || names.contains("::") {
                return Err(BadQuery("query format is not as expected."));
            }
            return Ok(Self { pattern: Some(Pattern::parse(bean)?), attributes: Attributes::parse(names) });
        }
        let pattern = of("qry").filter(|pattern| !pattern.is_empty());
        Ok(Self {
            pattern: pattern.map(|pattern| Pattern::parse(pattern)).transpose()?,
            attributes: Attributes::All,
        })
    }

    /// Whether a bean is asked for.
    pub(crate) fn wants_bean(&self, name: &str) -> bool {
        self.pattern.as_ref().is_none_or(|pattern| pattern.matches(name))
    }

    /// What is wanted of the attributes of a bean.
    pub(crate) fn wanted(&self, mut attributes: Vec<(String, String)>) -> Wanted<'_> {
        match &self.attributes {
            Attributes::All => {}
            Attributes::Named(names) => {
                let is_there = |name: &String| attributes.iter().any(|(known, _)| known == name);
                if let Some(missing) = names.iter().find(|name| !is_there(name)) {
                    return Wanted::Missing(missing);
                }
                attributes.retain(|(name, _)| names.contains(name));
            }
            Attributes::Matching(patterns) => {
                let matches =
                    |name: &str| patterns.iter().any(|pattern| pattern.is_match(name).unwrap_or(false));
                attributes.retain(|(name, _)| matches(name));
            }
        }
        Wanted::All(attributes)
    }
}

impl Attributes {
    /// As HBase has it, a star makes it regular expressions. One that is none is taken for a name, which no attribute has.
    fn parse(text: &str) -> Self {
        let parts = || text.split(',').map(str::trim);
        if text.contains('*') {
            let patterns: Option<Vec<_>> = parts().take(MOST_PATTERNS).map(whole).collect();
            return patterns.map_or_else(|| Self::Named(vec![text.to_owned()]), Self::Matching);
        }
        Self::Named(parts().take(MOST_NAMES).map(str::to_owned).collect())
    }
}

/// The expression of names that match a pattern from their beginning to their end.
fn whole(pattern: &str) -> Option<Regex> {
    let expression = format!("^(?:{pattern})$");
    let mut builder = RegexBuilder::new(&expression);
    builder.backtrack_limit(MOST_STEPS).delegate_size_limit(MOST_PATTERN_BYTES);
    builder.build().ok()
}

const MALFORMED: BadQuery = BadQuery("malformed object name");

impl Pattern {
    fn parse(text: &str) -> Result<Self, BadQuery> {
        let (domain, list) = text.split_once(':').ok_or(MALFORMED)?;
        let mut pattern =
            Self { domain: domain.to_owned(), properties: BTreeMap::new(), may_have_more: false };
        for property in list.split(',') {
            match property.split_once('=') {
                None if property == "*" => pattern.may_have_more = true,
                Some((key, value)) if !key.is_empty() && !value.is_empty() => {
                    let former = pattern.properties.insert(key.to_owned(), value.to_owned());
                    if former.is_some() {
                        return Err(MALFORMED);
                    }
                }
                _ => return Err(MALFORMED),
            }
        }
        Ok(pattern)
    }

    fn matches(&self, name: &str) -> bool {
        let Ok(name) = Self::parse(name) else { return false };
        let has = |(key, value): (&String, &String)| {
            name.properties.get(key).is_some_and(|there| matches(value.as_bytes(), there.as_bytes()))
        };
        matches(self.domain.as_bytes(), name.domain.as_bytes())
            && self.properties.iter().all(has)
            && (self.may_have_more || self.properties.len() == name.properties.len())
    }
}

/// Whether a text is what a pattern with `*` and `?` says. Takes at most the product of their lengths: a `*` that was passed is
/// never gone back to.
fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    // Where the last star stands, and up to where it reaches.
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(&c) if c == b'?' || c == text[t] => {
                p += 1;
                t += 1;
            }
            _ => match &mut star {
                Some((at, reach)) => {
                    *reach += 1;
                    (p, t) = (*at + 1, *reach);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|&c| c == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVER: &str = "Hadoop:service=HBase,name=RegionServer,sub=Server";

    fn parse(name: &str, value: &str) -> Result<Query, BadQuery> {
        Query::parse(&[(name.to_owned(), value.to_owned())])
    }

    #[test]
    fn patterns_match_as_those_of_java() {
        for pattern in [
            SERVER,
            "*:*",
            "Hadoop:*",
            "H*p:*",
            "Had??p:*",
            "Hadoop:sub=Server,name=RegionServer,service=HBase",
            "Hadoop:service=HBase,*",
            "Hadoop:service=HBase,name=*,sub=Server",
            "*:sub=S*r,*",
            "Hadoop:*,sub=*",
            "",
        ] {
            assert!(parse("qry", pattern).unwrap().wants_bean(SERVER), "{pattern}");
        }
        for pattern in [
            "java.lang:*",
            "Hadoop:service=HBase",
            "Hadoop:service=HBase,name=RegionServer,sub=server",
            "Hadoop:service=HBase,name=RegionServer,sub=Server,more=*",
            "Hadoo?p:*",
            "*:sub=S*x,*",
        ] {
            assert!(!parse("qry", pattern).unwrap().wants_bean(SERVER), "{pattern}");
        }
    }

    #[test]
    fn a_get_names_attributes() {
        let query = parse("get", &format!("{SERVER}::regionCount,storeCount")).unwrap();
        assert!(query.wants_bean(SERVER) && !query.wants_bean("Finback:name=Process"));
        assert_eq!(names(&query).unwrap(), ["regionCount", "storeCount"]);
    }

    /// What a query wants of three attributes; or which of them is missing.
    fn names(query: &Query) -> Result<Vec<String>, String> {
        let there = ["regionCount", "storeCount", "tag.Context"].map(|name| (name.to_owned(), String::new()));
        match query.wanted(there.to_vec()) {
            Wanted::All(attributes) => Ok(attributes.into_iter().map(|(name, _)| name).collect()),
            Wanted::Missing(name) => Err(name.to_owned()),
        }
    }

    #[test]
    fn a_star_makes_regular_expressions_of_a_get() {
        for (get, wanted) in [
            ("[a-zA-z_0-9]*Count", &["regionCount", "storeCount"][..]),
            ("regionCount,tag.*", &["regionCount", "tag.Context"]),
            ("(?!region).*Count", &["storeCount"]),
            ("nope.*", &[]),
            ("*", &[]),
            ("region*", &[]),
        ] {
            let query = parse("get", &format!("{SERVER}::{get}")).unwrap();
            assert_eq!(names(&query).unwrap_or_default(), wanted, "{get}");
        }
        for missing in ["regionCoun.", "regionCoun?t", "[*", r"(\w{1000}){1000}.*"] {
            assert_eq!(
                names(&parse("get", &format!("{SERVER}::{missing}")).unwrap()),
                Err(missing.to_owned())
            );
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for pattern in ["x", ":", "a:b", "a:b=", "a:=b", "a:b=c,,", "a:b=c,b=d", "a:**"] {
            assert_eq!(parse("qry", pattern).unwrap_err(), MALFORMED, "{pattern}");
        }
        for get in ["", SERVER, "a:b=c::", "a:b=c::d::e"] {
            assert!(parse("get", get).is_err(), "{get}");
        }
        assert!(parse("callback", "x").unwrap().wants_bean(SERVER));
    }

    #[test]
    fn stars_cost_no_more_than_the_product_of_lengths() {
        let (pattern, text) = ("*a".repeat(2000) + "b", "a".repeat(4000));
        assert!(!matches(pattern.as_bytes(), text.as_bytes()));
        assert!(matches("*a".repeat(2000).as_bytes(), text.as_bytes()));
    }
}
