use super::*;
use std::collections::HashSet;

fn span() -> Span {
    Span {
        trace_id: [1; 16],
        span_id: [1; 8],
        parent: None,
        name: String::new(),
        start_ns: 0,
        end_ns: 0,
        attributes: Vec::new(),
        error: None,
    }
}

#[test]
fn the_caller_decides_and_else_chance() {
    let told = |share: f64| {
        let (tracer, _offered) = Tracer::new(share);
        (0..20_000).filter(|_| tracer.samples(None)).count()
    };
    assert_eq!((told(0.0), told(1.0), told(f64::NAN)), (0, 20_000, 0));
    // 200 expected, with a standard deviation of 14.
    assert!((60..400).contains(&told(0.01)));
    let parent = |sampled| TraceContext { trace_id: [1; 16], span_id: [1; 8], sampled };
    assert!(Tracer::new(0.0).0.samples(Some(&parent(true))));
    assert!(!Tracer::new(1.0).0.samples(Some(&parent(false))));
}

#[test]
fn ids_differ() {
    let (tracer, _offered) = Tracer::new(1.0);
    let traces: HashSet<_> = (0..1000).map(|_| tracer.trace_id()).collect();
    let spans: HashSet<_> = (0..1000).map(|_| tracer.span_id()).collect();
    assert_eq!((traces.len(), spans.len()), (1000, 1000));
    assert!(!traces.contains(&[0; 16]) && !spans.contains(&[0; 8]));
}

#[test]
fn what_is_too_much_is_dropped_and_counted() {
    let (tracer, offered) = Tracer::new(1.0);
    for _ in 0..MOST_WAITING + 3 {
        tracer.offer(span());
    }
    assert_eq!(tracer.figures(), SpanFigures { sent: 0, dropped: 3, failed: 0 });
    drop(offered);
    tracer.offer(span());
    assert_eq!(tracer.figures().dropped, 4);
}
