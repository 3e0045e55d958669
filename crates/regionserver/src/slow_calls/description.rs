//! What a slow call was about, in HBase's words.

use finback_cell::{Bytes, StringBinary};
use finback_proto::{footprint, pb};

/// Bytes of a row, a region's name or a scan that are told.
const LONGEST: usize = 1 << 10;

/// A call, for those who look for what is slow.
#[derive(Debug, Default)]
pub(super) struct Description {
    /// HBase's class of the request.
    pub(super) class: String,
    /// The region's name as the client gave it; empty if the call is not about one.
    pub(super) region: String,
    pub(super) param: String,
    pub(super) gets: i32,
    pub(super) mutations: i32,
    pub(super) service_calls: i32,
}

/// Describes a request, which may be anything.
pub(super) fn describe(method: &str, param: &Bytes) -> Description {
    let described = match method {
        "Get" => get(param),
        "Scan" => scan(param),
        "Mutate" => mutate(param),
        "Multi" => multi(param),
        "ExecService" => exec_service(param),
        _ => None,
    };
    let request = if method == "ExecService" { "CoprocessorService" } else { method };
    let class = format!("ClientProtos${request}Request");
    match described {
        Some(described) => Description { class, ..described },
        None => Description { param: format!("class {class}"), class, ..Description::default() },
    }
}

fn decode<M: footprint::Measured + Default>(param: &Bytes) -> Option<M> {
    footprint::decode(param.clone()).ok()
}

fn shown(bytes: &[u8]) -> String {
    StringBinary(&bytes[..bytes.len().min(LONGEST)]).to_string()
}

fn region(specifier: &pb::RegionSpecifier) -> String {
    shown(&specifier.value)
}

fn get(param: &Bytes) -> Option<Description> {
    let request: pb::GetRequest = decode(param)?;
    let region = region(&request.region);
    let param = format!("region= {region}, row= {}", shown(&request.get.row));
    Some(Description { region, param, ..Description::default() })
}

fn scan(param: &Bytes) -> Option<Description> {
    let request: pb::ScanRequest = decode(param)?;
    let region = request.region.as_ref().map(region).unwrap_or_default();
    let mut param = format!("{request:?}");
    param.truncate(param.floor_char_boundary(LONGEST));
    Some(Description { region, param, ..Description::default() })
}

fn mutate(param: &Bytes) -> Option<Description> {
    let request: pb::MutateRequest = decode(param)?;
    let region = region(&request.region);
    let param = format!("region= {region}, row= {}", shown(request.mutation.row()));
    Some(Description { region, param, ..Description::default() })
}

fn multi(param: &Bytes) -> Option<Description> {
    let request: pb::MultiRequest = decode(param)?;
    let actions = || request.region_action.iter().flat_map(|region| &region.action);
    let count = |is: fn(&pb::Action) -> bool| {
        i32::try_from(actions().filter(|action| is(action)).count()).unwrap_or(i32::MAX)
    };
    let region = request.region_action.first().map(|first| region(&first.region)).unwrap_or_default();
    Some(Description {
        param: format!("region= {region}, for {} action(s)", actions().count()),
        region,
        gets: count(|action| action.get.is_some()),
        mutations: count(|action| action.mutation.is_some()),
        service_calls: count(|action| action.service_call.is_some()),
        ..Description::default()
    })
}

fn exec_service(param: &Bytes) -> Option<Description> {
    let request: pb::CoprocessorServiceRequest = decode(param)?;
    let param = format!("coprocessorService= {}:{}", request.call.service_name, request.call.method_name);
    Some(Description { param, ..Description::default() })
}
