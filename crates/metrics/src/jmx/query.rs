//! What a request asks for: the parameters `qry` and `get` of HBase's servlet.

use std::collections::BTreeMap;

/// A request that makes no sense, in the words of HBase's servlet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadQuery(pub &'static str);

/// Attributes that are asked for by name at a time: each is looked for among all.
const MOST_ATTRIBUTES: usize = 100;

/// Which beans and attributes are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// None: all beans.
    pattern: Option<Pattern>,
    /// None: all attributes.
    attributes: Option<Vec<String>>,
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
            let attributes =
                names.split(',').take(MOST_ATTRIBUTES).map(|name| name.trim().to_owned()).collect();
            return Ok(Self { pattern: Some(Pattern::parse(bean)?), attributes: Some(attributes) });
        }
        let pattern = of("qry").filter(|pattern| !pattern.is_empty());
        Ok(Self { pattern: pattern.map(|pattern| Pattern::parse(pattern)).transpose()?, attributes: None })
    }

    /// Whether a bean is asked for.
    pub(crate) fn wants_bean(&self, name: &str) -> bool {
        self.pattern.as_ref().is_none_or(|pattern| pattern.matches(name))
    }

    /// Whether an attribute of such a bean is asked for.
    pub(crate) fn wants_attribute(&self, name: &str) -> bool {
        self.attributes.as_ref().is_none_or(|names| names.iter().any(|wanted| wanted == name))
    }

    /// The attributes that are asked for by name.
    pub(crate) fn attributes(&self) -> impl Iterator<Item = &String> {
        self.attributes.iter().flatten()
    }
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
        assert!(query.wants_attribute("regionCount") && query.wants_attribute("storeCount"));
        assert!(!query.wants_attribute("region"));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for pattern in ["x", ":", "a:b", "a:b=", "a:=b", "a:b=c,,", "a:b=c,b=d", "a:**"] {
            assert_eq!(parse("qry", pattern), Err(MALFORMED), "{pattern}");
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
