//! Scans: rows of one region after the other, fetched ahead of who takes them.

mod assembly;
mod driver;
mod region_scan;
mod response;

use crate::error::{Error, Result};
use crate::locator::KnownRegions;
use crate::row::Row;
use crate::scan::Scan;
use crate::shared::Shared;
use driver::Driver;
use futures_core::Stream;
use parking_lot::Mutex;
pub(crate) use response::rows_of;
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::vec;
use tokio::sync::mpsc;

/// Pages that wait for who takes the rows. One more is being taken apart, and one more fetched.
const PAGES_AHEAD: usize = 1;

/// What a scan tells.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ScanEvent {
    /// A row, or a part of one if the scan has those.
    Row(Row),
    /// The server is at work, and has come to this row: of scans with [`Scan::cursors`].
    Cursor(bytes::Bytes),
}

/// What the driver hands over.
#[derive(Debug)]
enum Page {
    Rows(Vec<Row>),
    Cursor(bytes::Bytes),
    /// There is nothing more. Without it who took the rows would not know that some are missing.
    End,
}

/// A scan under way. Rows are fetched in the background, two pages ahead; what was opened on a server is closed when the
/// scanner is dropped.
///
/// ```no_run
/// # use finback_client::{Connection, Scan};
/// # async fn example(connection: Connection) -> finback_client::Result<()> {
/// let mut rows = connection.table("flowers")?.scan(Scan::prefix("r"))?;
/// while let Some(row) = rows.next().await? {
///     println!("{}", String::from_utf8_lossy(row.key()));
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Scanner {
    pages: mpsc::Receiver<Result<Page>>,
    rows: vec::IntoIter<Row>,
    /// Whether the end has come, or what the scan has ended with.
    has_ended: bool,
    metrics: Arc<Mutex<BTreeMap<String, i64>>>,
}

impl Scanner {
    pub(crate) fn start(shared: Arc<Shared>, known: Arc<KnownRegions>, scan: Scan) -> Result<Self> {
        scan.check()?;
        let (sender, pages) = mpsc::channel(PAGES_AHEAD);
        let metrics = Arc::new(Mutex::new(BTreeMap::new()));
        tokio::spawn(Driver::new(shared, known, scan, sender, Arc::clone(&metrics)).run());
        Ok(Self { pages, rows: Vec::new().into_iter(), has_ended: false, metrics })
    }

    /// The next row; none at the end.
    ///
    /// # Errors
    /// What the scan has ended with; after that there is nothing more.
    pub async fn next(&mut self) -> Result<Option<Row>> {
        loop {
            match self.next_event().await? {
                Some(ScanEvent::Row(row)) => return Ok(Some(row)),
                Some(ScanEvent::Cursor(_)) => {}
                None => return Ok(None),
            }
        }
    }

    /// The next row, or how far the scan has come; none at the end.
    ///
    /// # Errors
    /// What the scan has ended with; after that there is nothing more.
    pub async fn next_event(&mut self) -> Result<Option<ScanEvent>> {
        loop {
            if let Some(row) = self.rows.next() {
                return Ok(Some(ScanEvent::Row(row)));
            }
            let page = self.pages.recv().await;
            match self.taken(page)? {
                Some(Page::Rows(rows)) => self.rows = rows.into_iter(),
                Some(Page::Cursor(row)) => return Ok(Some(ScanEvent::Cursor(row))),
                Some(Page::End) | None => return Ok(None),
            }
        }
    }

    /// What was handed over; none behind the end, or an error.
    fn taken(&mut self, page: Option<Result<Page>>) -> Result<Option<Page>> {
        let had_ended = self.has_ended;
        self.has_ended |= !matches!(page, Some(Ok(Page::Rows(_) | Page::Cursor(_))));
        match page {
            None if !had_ended => Err(Error::Interrupted("a scan")),
            page => page.transpose(),
        }
    }

    /// The rows that are there already: those of one answer, or none at the end. Cheaper than one by one.
    ///
    /// # Errors
    /// What the scan has ended with; after that there is nothing more.
    pub async fn next_page(&mut self) -> Result<Option<Vec<Row>>> {
        match self.next().await? {
            None => Ok(None),
            Some(first) => Ok(Some(std::iter::once(first).chain(std::mem::take(&mut self.rows)).collect())),
        }
    }

    /// All rows that are left, up to as many. For scans of which it is known that they are small.
    ///
    /// # Errors
    /// What the scan has ended with.
    pub async fn collect(mut self, at_most: usize) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        while rows.len() < at_most
            && let Some(row) = self.next().await?
        {
            rows.push(row);
        }
        Ok(rows)
    }

    /// What servers have counted so far, of scans with [`Scan::track_metrics`]: `ROWS_SCANNED`, `ROWS_FILTERED` and others.
    pub fn metrics(&self) -> BTreeMap<String, i64> {
        self.metrics.lock().clone()
    }
}

/// The rows, for combinators: as [`Scanner::next`] gives them. After an error there is nothing more.
impl Stream for Scanner {
    type Item = Result<Row>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(row) = self.rows.next() {
                return Poll::Ready(Some(Ok(row)));
            }
            let page = ready!(self.pages.poll_recv(context));
            match self.taken(page) {
                Ok(Some(Page::Rows(rows))) => self.rows = rows.into_iter(),
                Ok(Some(Page::Cursor(_))) => {}
                Ok(Some(Page::End) | None) => return Poll::Ready(None),
                Err(error) => return Poll::Ready(Some(Err(error))),
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.rows.len(), None)
    }
}
