import java.util.Arrays;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.*;

/** Durability, time to live, flush, large values. */
final class WriteChecks extends Checks {
  /** What may pass between a write and the read that must still see it, and how often both are tried to be that quick. */
  private static final int SOON_MS = 1000, TRIES = 20;

  WriteChecks(Api api, String tag) { super(api, tag); }

  public void every_durability_can_be_read_back() throws Exception {
    TableName t = shared();
    for (Durability d : Durability.values()) {
      api.put(t, put("d" + d, "a", "q", "v").setDurability(d));
      eq("d" + d + "/a:q=v", text(api.get(t, get("d" + d))));
      api.increment(t, new Increment(b("i" + d)).addColumn(A, Q, 1).setDurability(d));
      api.delete(t, new Delete(b("d" + d)).setDurability(d));
      eq("", text(api.get(t, get("d" + d))));
    }
  }

  public void a_cell_with_a_time_to_live_goes_away() throws Exception {
    TableName t = shared();
    eq("ttl/a:long=v ttl/a:short=v", soon(() -> {
      api.put(t, put("ttl", "a", "short", "v").setTTL(1500));
      api.put(t, put("ttl", "a", "long", "v").setTTL(3_600_000));
      return text(api.get(t, get("ttl")));
    }));
    api.flush(t);
    Thread.sleep(1800);
    eq("ttl/a:long=v", text(api.get(t, get("ttl"))));
  }

  public void a_family_with_a_time_to_live_forgets() throws Exception {
    TableName t = name("family_ttl");
    discard(t);
    api.create(TableDescriptorBuilder.newBuilder(t).setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(A).setTimeToLive(2).build()).build());
    yes(soon(() -> {
      api.put(t, put("r", "a", "q", "v"));
      return api.exists(t, get("r"));
    }), "gone at once");
    Thread.sleep(2500);
    yes(!api.exists(t, get("r")), "still there");
    discard(t);
  }

  private interface WriteAndRead<R> {
    R run() throws Exception;
  }

  /** The answer that came so soon that nothing of what was written can be over; on a starved machine that takes several tries. */
  private static <R> R soon(WriteAndRead<R> both) throws Exception {
    for (int i = 1; ; i++) {
      long begin = System.nanoTime();
      R answer = both.run();
      if (System.nanoTime() - begin < SOON_MS * 1_000_000L || i == TRIES) return answer;
    }
  }

  public void what_was_flushed_is_read_like_what_was_not() throws Exception {
    TableName t = fresh("flush", new String[] {"a", "b"}, "m");
    for (int round = 0; round < 3; round++) {
      api.put(t, put("c", "a", "q" + round, "v"));
      api.put(t, put("x", "b", "q", "v" + round));
      api.flush(t);
    }
    api.put(t, put("c", "a", "q3", "v"));
    eq("c/a:q0=v c/a:q1=v c/a:q2=v c/a:q3=v, x/b:q=v2", text(api.scan(t, new Scan())));
    eq("x/b:q=v2 x/b:q=v1 x/b:q=v0", text(api.get(t, get("x").readAllVersions())));
    for (RegionInfo r : api.regions(t)) api.flushRegion(r.getRegionName());
    eq("c/a:q0=v c/a:q1=v c/a:q2=v c/a:q3=v, x/b:q=v2", text(api.scan(t, new Scan())));
    discard(t);
  }

  public void a_value_of_five_megabytes() throws Exception {
    TableName t = shared();
    byte[] big = new byte[5 << 20];
    new java.util.Random(7).nextBytes(big);
    api.put(t, new Put(b("big")).addColumn(A, Q, big));
    yes(Arrays.equals(big, api.get(t, get("big")).value()), "not the same bytes");
    api.flush(t);
    yes(Arrays.equals(big, api.get(t, get("big")).value()), "not the same bytes after the flush");
    eq(1, api.scan(t, new Scan().withStartRow(b("big")).setOneRowLimit()).size());
  }

  public void timestamps_are_the_servers_unless_given() throws Exception {
    TableName t = shared();
    long before = System.currentTimeMillis();
    api.put(t, put("now", "a", "q", "v"));
    long ts = api.get(t, get("now")).rawCells()[0].getTimestamp();
    yes(Math.abs(ts - before) < 60_000, "timestamp " + ts + " at " + before);
    api.put(t, put("then", "a", "q", 12345, "v"));
    eq(12345L, api.get(t, get("then")).rawCells()[0].getTimestamp());
  }

  public void a_put_with_many_cells() throws Exception {
    TableName t = shared();
    Put p = new Put(b("many"));
    for (int i = 0; i < 5000; i++) p.addColumn(A, b(String.format("q%05d", i)), b("v" + i));
    api.put(t, p);
    Result r = api.get(t, get("many"));
    eq(5000, r.size());
    eq("many/a:q04999=v4999", text(r.rawCells()[4999]));
  }
}
