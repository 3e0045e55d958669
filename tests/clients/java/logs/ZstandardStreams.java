import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.CompressionInputStream;
import org.apache.hadoop.io.compress.CompressionOutputStream;
import org.apache.hadoop.io.compress.Compressor;
import org.apache.hadoop.io.compress.Decompressor;

/** Bare Zstandard frames, as Hadoop's native codec has them, without Hadoop's native library. */
public final class ZstandardStreams extends Configured implements CompressionCodec {
  @Override
  public CompressionInputStream createInputStream(InputStream in) throws IOException {
    ZstdInputStreamNoFinalizer frames = new ZstdInputStreamNoFinalizer(in).setContinuous(true);
    return new CompressionInputStream(in) {
      @Override
      public int read(byte[] b, int off, int len) throws IOException {
        return frames.read(b, off, len);
      }

      @Override
      public int read() throws IOException {
        return frames.read();
      }

      @Override
      public void resetState() {
        throw new UnsupportedOperationException();
      }
    };
  }

  @Override
  public CompressionInputStream createInputStream(InputStream in, Decompressor none) throws IOException {
    return createInputStream(in);
  }

  @Override
  public CompressionOutputStream createOutputStream(OutputStream out) throws IOException {
    ZstdOutputStreamNoFinalizer frames = new ZstdOutputStreamNoFinalizer(out);
    return new CompressionOutputStream(out) {
      @Override
      public void write(byte[] b, int off, int len) throws IOException {
        frames.write(b, off, len);
      }

      @Override
      public void write(int b) throws IOException {
        frames.write(b);
      }

      @Override
      public void finish() throws IOException {
        frames.close();
      }

      @Override
      public void resetState() {
        throw new UnsupportedOperationException();
      }
    };
  }

  @Override
  public CompressionOutputStream createOutputStream(OutputStream out, Compressor none) throws IOException {
    return createOutputStream(out);
  }

  @Override
  public Class<? extends Compressor> getCompressorType() {
    return null;
  }

  @Override
  public Compressor createCompressor() {
    return null;
  }

  @Override
  public Class<? extends Decompressor> getDecompressorType() {
    return null;
  }

  @Override
  public Decompressor createDecompressor() {
    return null;
  }

  @Override
  public String getDefaultExtension() {
    return ".zst";
  }
}
