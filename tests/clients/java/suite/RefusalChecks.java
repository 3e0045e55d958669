import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.ipc.RemoteWithExtrasException;

/** Every exception that there is, in place of the answer to a get, a put or a batch. */
public final class RefusalChecks extends ErrorChecks {
  RefusalChecks(Api api, String tag, Proxy proxy, Clients clients, Configuration conf) { super(api, tag, proxy, clients, conf); }

  /** The shared table, with a row in it, and its place known to the client. */
  private TableName known() throws Exception {
    api.put(shared(), put("r", "a", "q", "v"));
    return shared();
  }

  private void reads() throws Exception { eq("r/a:q=v", text(api.get(shared(), get("r")))); }
  private void writes() throws Exception { api.puts(shared(), Arrays.asList(put("r", "a", "q", "v"), put("s", "a", "q", "v"))); }

  public void a_get_is_sent_again_where_the_region_is_now() throws Exception {
    String region = first(known());
    each(SENT_AGAIN_ELSEWHERE, e -> {
      proxy.refuse(2, "Get", region, e, "words");
      reads();
      eq(3, proxy.count("Get", region));
      yes(lookups() > 0, "hbase:meta was not asked");
    });
  }

  public void a_get_is_sent_again_to_a_server_that_is_busy() throws Exception {
    String region = first(known());
    each(SENT_AGAIN, e -> {
      proxy.refuse(2, "Get", region, e, message(e));
      reads();
      eq(3, proxy.count("Get", region));
      eq(0, lookups());
    });
  }

  public void a_get_that_is_refused_for_good_is_sent_once() throws Exception {
    TableName t = known();
    each(isAsync() ? gaveUp("ScannerResetException") : gaveUp(), e -> {
      proxy.refuse(1, "Get", first(t), e, "words");
      RemoteWithExtrasException remote = refused(e, true, () -> api.get(t, get("r")));
      yes(remote.getMessage().contains(": words"), remote.getMessage());
      eq(1, proxy.count("Get", first(t)));
    });
    reads();
  }

  /** What the server says beside class and message. */
  public void the_server_says_that_a_get_may_be_sent_again() throws Exception {
    TableName t = known();
    each(SENT_AGAIN_ELSEWHERE, e -> {
      proxy.refuse(1, "Get", first(t), e, "words");
      refused(e, false, () -> impatient().get(t, get("r")));
    });
    each(SENT_AGAIN, e -> {
      proxy.refuse(1, "Get", first(t), e, message(e));
      RemoteWithExtrasException remote = refused(e, false, () -> impatient().get(t, get("r")));
      eq(e.startsWith("Call"), remote.isServerOverloaded());
    });
  }

  public void what_clients_cannot_load_is_final() throws Exception {
    TableName t = known();
    each(UNKNOWN_TO_CLIENTS, e -> {
      if (e.startsWith("Security") && isClient(2, 6) && !isClient(3, 0)) return; // it is in the jar of 2.6
      proxy.refuse(1, "Get", first(t), e, "words");
      fails(DoNotRetryIOException.class, () -> api.get(t, get("r")));
      eq(1, proxy.count("Get", first(t)));
    });
  }

  public void a_moved_region_is_followed_without_asking_hbase_meta() throws Exception {
    TableName t = known();
    String to = Proxy.OTHER_FRONT + " " + api.locate(t, b("r")).getPort() + " 17 1000000";
    proxy.forget();
    proxy.refuse(1, "Get", first(t), MOVED, to);
    RemoteWithExtrasException remote = refused(MOVED, false, () -> impatient().get(t, get("r")));
    eq(Proxy.OTHER_FRONT, remote.getHostname());
    eq(api.locate(t, b("r")).getPort(), remote.getPort());
    api.get(t, get("r"));
    proxy.forget();
    proxy.refuse(1, "Get", first(t), MOVED, to);
    reads();
    eq(1, proxy.count("Get", first(t), Proxy.FRONT));
    eq(1, proxy.count("Get", first(t), Proxy.OTHER_FRONT));
    reads();
    eq(2, proxy.count("Get", first(t), Proxy.OTHER_FRONT));
    eq(0, lookups());
  }

  public void a_put_is_sent_again() throws Exception {
    TableName t = known();
    each(Arrays.asList("NotServingRegionException", "RegionTooBusyException"), e -> {
      proxy.refuse(2, "Mutate", first(t), e, "words");
      api.put(t, put("r", "a", "q", "v"));
      eq(3, proxy.count("Mutate", first(t)));
    });
  }

  public void a_batch_is_sent_again() throws Exception {
    String region = first(known());
    each(SENT_AGAIN_ELSEWHERE, e -> {
      proxy.refuse(1, "Multi", region, e, "words");
      proxy.refuseRegions(1, region, e, "words");
      proxy.refuseActions(1, region, e, "words");
      writes();
      eq(4, proxy.count("Multi", region));
      yes(lookups() > 0, "hbase:meta was not asked");
    });
    each(SENT_AGAIN, e -> {
      proxy.refuse(1, "Multi", region, e, message(e));
      proxy.refuseRegions(1, region, e, message(e));
      proxy.refuseActions(1, region, e, message(e));
      writes();
      eq(4, proxy.count("Multi", region));
      eq(0, lookups());
    });
  }

  public void a_batch_that_is_refused_for_good_is_sent_once() throws Exception {
    TableName t = known();
    each(gaveUp(), e -> {
      proxy.refuseActions(1, first(t), e, "words");
      proxy.refuseRegions(1, first(t), e, "words");
      for (int i = 1; i <= 2; i++) {
        Object[] results = api.batch(t, Arrays.asList(put("r", "a", "q", "v"), get("r")));
        for (Object r : results) {
          boolean found = false;
          for (Throwable x = r instanceof Throwable ? (Throwable) r : null; x != null; x = x.getCause()) found |= x.getClass().getSimpleName().equals(e);
          yes(found, e + " became " + r);
        }
        eq(i, proxy.count("Multi", first(t)));
      }
    });
  }

  /** Of an action, what clients cannot load is an exception like any other to them: they send it again. */
  public void an_action_refused_with_what_clients_cannot_load_is_sent_again() throws Exception {
    String region = first(known());
    each(UNKNOWN_TO_CLIENTS, e -> {
      if (e.startsWith("Security")) return;
      proxy.refuseActions(1, region, e, "words");
      writes();
      eq(2, proxy.count("Multi", region));
    });
  }

  /** Three refusals: pauses of one, two and three times the setting. (Clients vary them by a hundredth.) */
  public void pauses_grow() throws Exception {
    TableName t = known();
    proxy.forget();
    proxy.refuse(3, "Get", first(t), "RegionTooBusyException", "words");
    long ms = elapsedMs(this::reads);
    yes(ms >= PAUSE_MS * 6 * 9 / 10, ms + " ms");
  }

  public void an_overloaded_server_is_left_alone_for_longer() throws Exception {
    TableName t = known();
    each(Arrays.asList("CallQueueTooBigException", "CallDroppedException"), e -> {
      proxy.refuse(1, "Get", first(t), e, "words");
      long ms = elapsedMs(this::reads);
      yes(ms >= OVERLOADED_PAUSE_MS * 9 / 10, ms + " ms");
    });
  }

  public void a_throttled_client_waits_as_long_as_it_is_told() throws Exception {
    TableName t = known();
    proxy.forget();
    proxy.refuse(1, "Get", first(t), "RpcThrottlingException", "300");
    long ms = elapsedMs(this::reads);
    yes(!isClient(2, 6) || ms >= 300, ms + " ms"); // older ones make their usual pause
    if (!isClient(2, 6)) return;
    // time enough for everything but the wait that it is told
    try (Api hasty = client("hbase.client.operation.timeout", "20000")) {
      hasty.get(t, get("r"));
      proxy.forget();
      proxy.refuse(9, "Get", first(t), "RpcThrottlingException", "60000");
      fails(java.io.IOException.class, () -> hasty.get(t, get("r")));
      eq(1, proxy.count("Get", first(t)));
    }
  }

  public void a_client_gives_up_after_so_many_attempts() throws Exception {
    TableName t = known();
    try (Api three = client("hbase.client.retries.number", "2")) {
      each(Arrays.asList("NotServingRegionException", "RegionTooBusyException", "CallQueueTooBigException"), e -> {
        proxy.refuse(100, "Get", first(t), e, "words");
        fails(RetriesExhaustedException.class, () -> three.get(t, get("r")));
        eq(3, proxy.count("Get", first(t)));
      });
    }
  }

  public void a_connection_that_ends_in_the_midst_of_a_call() throws Exception {
    TableName t = known();
    proxy.forget();
    proxy.hangUp(1, "Get", first(t));
    reads();
    eq(2, proxy.count("Get", first(t)));
    proxy.hangUp(1, "Multi", first(t));
    writes();
    eq(2, proxy.count("Multi", first(t)));
  }

  /** The server has done it, but the client cannot know: it sends the same nonce, and the server does it once. */
  public void an_increment_whose_reply_is_lost_counts_once() throws Exception {
    TableName t = known();
    try (Api client = client("hbase.rpc.timeout", "1500", "hbase.rpc.write.timeout", "1500", "hbase.client.retries.number", "30")) {
      eq(1L, count(client, t));
      proxy.forget();
      proxy.loseReplies(1, "Mutate", first(t));
      eq(2L, count(client, t));
      // on a starved machine an answer may come too late by itself
      yes(proxy.count("Mutate", first(t)) >= 2, "the increment was not sent again");
    }
  }

  private static long count(Api client, TableName t) throws Exception {
    Result r = client.increment(t, new Increment(b("counter")).addColumn(A, Q, 1));
    return org.apache.hadoop.hbase.util.Bytes.toLong(r.value());
  }

  public void calls_of_the_master() throws Exception {
    String call = "ListNamespaceDescriptors";
    each(Arrays.asList("PleaseHoldException", "ServerNotRunningYetException", "MasterNotRunningException", "IOException", "CallQueueTooBigException"), e -> {
      proxy.refuse(1, call, "*", e, "words");
      has(api.namespaces(), "default");
      eq(2, proxy.count(call, "*"));
    });
    each(isAsync() ? gaveUp("ScannerResetException") : gaveUp(), e -> {
      proxy.refuse(1, call, "*", e, "words");
      refused(e, true, api::namespaces);
      eq(1, proxy.count(call, "*"));
    });
  }

  public void a_newer_client_falls_back_to_an_older_call() throws Exception {
    TableName t = known();
    proxy.forget();
    proxy.refuse(9, "FlushTable", "*", "DoNotRetryIOException", "java.lang.UnsupportedOperationException: FlushTable");
    api.flush(t);
    eq(isClient(2, 6) ? 1 : 0, proxy.count("FlushTable", "*"));
    eq(1, proxy.count("ExecProcedure", "*"));
  }
}
