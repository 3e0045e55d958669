package org.apache.hadoop.hbase.regionserver;

import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;

/** What policies ask of a store, beside its settings. */
record DrawnStore(long ttl, int blocking) implements StoreConfigInformation {
  private static final RegionInfo REGION = RegionInfoBuilder.newBuilder(TableName.valueOf("t")).build();

  @Override
  public long getMemStoreFlushSize() { return 128 << 20; }

  @Override
  public long getStoreFileTtl() { return ttl; }

  @Override
  public long getCompactionCheckMultiplier() { return 1000; }

  @Override
  public long getBlockingFileCount() { return blocking; }

  @Override
  public RegionInfo getRegionInfo() { return REGION; }

  @Override
  public String getColumnFamilyName() { return "f"; }
}
