import java.io.IOException;
import java.util.Arrays;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.filter.ByteArrayComparable;
import org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException;

/** What a server must refuse, and go on after. */
final class LimitChecks extends Checks {
  LimitChecks(Api api, String tag) { super(api, tag); }

  private void stillServes() throws Exception {
    api.put(shared(), put("alive", "a", "q", "yes"));
    eq("alive/a:q=yes", text(api.get(shared(), get("alive"))));
  }

  public void a_cell_over_the_size_limit() throws Exception {
    TableName t = shared();
    byte[] tooBig = new byte[(10 << 20) + 1]; // hbase.server.keyvalue.maxsize is 10 MB
    fails(DoNotRetryIOException.class, () -> api.put(t, new Put(b("big")).addColumn(A, Q, tooBig)));
    fails(DoNotRetryIOException.class, () -> api.append(t, new Append(b("big")).addColumn(A, Q, tooBig)));
    fails(DoNotRetryIOException.class, () -> api.puts(t, Arrays.asList(put("small", "a", "q", "v"), new Put(b("big")).addColumn(A, Q, tooBig))));
    eq("", text(api.get(t, get("big"))));
    stillServes();
  }

  public void an_unknown_family_in_every_call() throws Exception {
    TableName t = shared();
    byte[] no = b("nope");
    fails(NoSuchColumnFamilyException.class, () -> api.put(t, put("r", "nope", "q", "v")));
    fails(NoSuchColumnFamilyException.class, () -> api.get(t, get("r").addFamily(no)));
    fails(NoSuchColumnFamilyException.class, () -> api.scan(t, new Scan().addFamily(no)));
    fails(NoSuchColumnFamilyException.class, () -> api.delete(t, new Delete(b("r")).addFamily(no)));
    fails(NoSuchColumnFamilyException.class, () -> api.increment(t, new Increment(b("r")).addColumn(no, Q, 1)));
    fails(NoSuchColumnFamilyException.class, () -> api.append(t, new Append(b("r")).addColumn(no, Q, b("v"))));
    fails(NoSuchColumnFamilyException.class, () -> api.checkAndMutate(t, CheckAndMutate.newBuilder(b("r")).ifNotExists(A, Q).build(put("r", "nope", "q", "v"))));
    stillServes();
  }

  /** The client itself turns UnknownRegionException into an IllegalArgumentException in some versions. */
  public void an_unknown_region() throws Exception {
    fails(Exception.class, () -> api.flushRegion(b("no_such_table,,1700000000000.0123456789abcdef0123456789abcdef.")));
    stillServes();
  }

  /** A filter that no server has. */
  public static final class Unheard extends org.apache.hadoop.hbase.filter.FilterBase {
    @Override
    public ReturnCode filterCell(org.apache.hadoop.hbase.Cell c) { return ReturnCode.INCLUDE; }
    @Override
    public byte[] toByteArray() { return new byte[] {1, 2, 3}; }
    @Override
    public String toString() { return "Unheard"; }
  }

  public void an_unknown_filter() throws Exception {
    fails(IOException.class, () -> api.scan(shared(), new Scan().setFilter(new Unheard())));
    fails(IOException.class, () -> api.get(shared(), get("r").setFilter(new Unheard())));
    stillServes();
  }

  public void a_regular_expression_that_is_none() throws Exception {
    ByteArrayComparable broken = new org.apache.hadoop.hbase.filter.SubstringComparator("(") {
      @Override
      public byte[] toByteArray() { return new byte[] {(byte) 0xff, (byte) 0xff, 1}; }
    };
    fails(IOException.class, () -> api.scan(shared(),
      new Scan().setFilter(new org.apache.hadoop.hbase.filter.RowFilter(org.apache.hadoop.hbase.CompareOperator.EQUAL, broken))));
    stillServes();
  }

  public void a_timestamp_far_in_the_future_is_kept() throws Exception {
    api.put(shared(), put("future", "a", "q", Long.MAX_VALUE - 1, "v"));
    eq("future/a:q=v", text(api.get(shared(), get("future"))));
  }
}
