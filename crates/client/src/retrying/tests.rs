use super::*;
use finback_rpc::exceptions;

fn attempt(exception: RpcException) -> Attempt {
    Attempt { method: "Get", server: None, region: None, number: 1, exception }
}

fn config() -> ClientConfig {
    ClientConfig::zookeeper("nowhere").pause(Duration::from_micros(1)).retries(2)
}

#[tokio::test]
async fn what_is_not_to_be_retried_is_not() {
    let (config, entropy) = (config(), Entropy::new());
    let mut retrying = Retrying::new(&config, &entropy, "Get", Duration::from_secs(9));
    let error = retrying.failed(attempt(exceptions::do_not_retry("no"))).await.unwrap_err();
    assert!(matches!(error, Error::Refused(_)), "{error}");
}

#[tokio::test]
async fn retries_are_counted_and_exhausted() {
    let (config, entropy) = (config(), Entropy::new());
    let mut retrying = Retrying::new(&config, &entropy, "Get", Duration::from_secs(9));
    retrying.failed(attempt(exceptions::io("1"))).await.unwrap();
    retrying.failed(attempt(exceptions::io("2"))).await.unwrap();
    let error = retrying.failed(attempt(exceptions::io("3"))).await.unwrap_err();
    let Error::RetriesExhausted { attempts: 3, last } = error else { panic!("{error}") };
    assert_eq!((last.number, last.exception.message.as_str()), (3, "3"));
}

#[tokio::test]
async fn a_time_that_is_over_is_told_with_the_last_attempt() {
    let (config, entropy) = (config(), Entropy::new());
    let mut retrying = Retrying::new(&config, &entropy, "Get", Duration::ZERO);
    let error = retrying.failed(attempt(exceptions::io("slow"))).await.unwrap_err();
    assert!(matches!(error, Error::TimedOut { attempts: 1, last: Some(_), .. }), "{error}");
    assert!(error.to_string().contains("slow"), "{error}");
}
