//! The records of each mode, summed up from those of regions, or of users and clients.

use crate::mode::Mode;
use crate::readings::Readings;
use crate::record::{Figures, Record, Subject};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The records of a mode, in no order. `takes` says which regions, or users of clients, they are summed up from; a server
/// that has no such region is still one, unless `only_some`.
pub(crate) fn records(
    mode: Mode,
    readings: &Readings,
    only_some: bool,
    takes: impl Fn(&Record) -> bool,
) -> Vec<Record> {
    let parts = if mode.is_of_clients() { &readings.clients } else { &readings.regions };
    let parts = parts.iter().filter(|part| takes(part));
    match mode {
        Mode::Region => parts.cloned().collect(),
        Mode::Namespace | Mode::Table => summed_up(mode, parts, HashMap::new()),
        Mode::RegionServer => {
            let servers = summed_up(mode, parts, servers(readings));
            servers.into_iter().filter(|server| !only_some || server.figures.regions > 0).collect()
        }
        Mode::User | Mode::Client => of_clients(mode, parts),
    }
}

/// Every server, without any regions yet.
fn servers(readings: &Readings) -> HashMap<Arc<str>, Record> {
    let record = |server: &crate::readings::Server| {
        let figures = Figures {
            used_heap_bytes: server.used_heap_bytes,
            max_heap_bytes: server.max_heap_bytes,
            ..Figures::default()
        };
        let subject = Subject::Server(Arc::clone(&server.id));
        (Arc::clone(&server.id.long), Record { subject, figures })
    };
    readings.servers.iter().map(record).collect()
}

fn summed_up<'a>(
    mode: Mode,
    regions: impl Iterator<Item = &'a Record>,
    mut groups: HashMap<Arc<str>, Record>,
) -> Vec<Record> {
    for part in regions {
        let Subject::Region { region, server } = &part.subject else { continue };
        let (name, subject) = match mode {
            Mode::Namespace => {
                (&region.table.namespace, Subject::Namespace(Arc::clone(&region.table.namespace)))
            }
            Mode::RegionServer => (&server.long, Subject::Server(Arc::clone(server))),
            _ => (&region.table.full, Subject::Table(Arc::clone(&region.table))),
        };
        match groups.get_mut(name) {
            Some(group) => group.figures.add(&part.figures),
            None => {
                let mut figures = Figures::default();
                figures.add(&part.figures);
                groups.insert(Arc::clone(name), Record { subject, figures });
            }
        }
    }
    groups.into_values().collect()
}

/// Users with the number of their clients, or clients with the number of their users.
fn of_clients<'a>(mode: Mode, parts: impl Iterator<Item = &'a Record>) -> Vec<Record> {
    let mut groups: HashMap<Arc<str>, (Figures, HashSet<Arc<str>>)> = HashMap::new();
    for part in parts {
        let Subject::UserOfClient { user, client } = &part.subject else { continue };
        let (name, other) = if mode == Mode::User { (user, client) } else { (client, user) };
        let (figures, others) = groups.entry(Arc::clone(name)).or_default();
        figures.add(&part.figures);
        others.insert(Arc::clone(other));
    }
    let record = |(name, (mut figures, others)): (Arc<str>, (Figures, HashSet<Arc<str>>))| {
        let others = others.len() as u64;
        let subject = match mode {
            Mode::User => {
                figures.clients = others;
                Subject::User(name)
            }
            _ => {
                figures.users = others;
                Subject::Client(name)
            }
        };
        Record { subject, figures }
    };
    groups.into_iter().map(record).collect()
}

#[cfg(test)]
mod tests;
