import java.io.ByteArrayOutputStream;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.TimeZone;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.io.hfile.HFilePrettyPrinter;
import org.apache.hadoop.hbase.wal.WALPrettyPrinter;

/**
 * Runs HBase's own printers, many times in one process. Each line of the file of jobs is
 * {@code hfile|wal TAB file for what is printed TAB argument TAB argument ...}; paths are as they are given. The file
 * gets what went to standard output, then a line that begins with "exit ", then what went to standard error and is the
 * printer's own.
 */
public final class Printers {
  private Printers() {
  }

  public static void main(String[] args) throws Exception {
    Locale.setDefault(Locale.ROOT);
    TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
    List<String> jobs = Files.readAllLines(Path.of(args[0]));
    for (String job : jobs) {
      String[] fields = job.split("\t");
      run(fields[0], Path.of(fields[1]), Arrays.copyOfRange(fields, 2, fields.length));
    }
    System.out.println(jobs.size() + " runs of HBase's printers");
  }

  private static void run(String printer, Path file, String[] arguments) throws Exception {
    PrintStream standardOut = System.out;
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    try (PrintStream out = new PrintStream(new FileOutputStream(file.toFile()), true, StandardCharsets.UTF_8);
         PrintStream errors = new PrintStream(err, true, StandardCharsets.UTF_8)) {
      System.setOut(out);
      int code = printer.equals("hfile") ? hfile(out, errors, arguments) : wal(arguments);
      out.println("exit " + code);
      out.write(err.toByteArray());
    } finally {
      System.setOut(standardOut);
    }
  }

  private static int hfile(PrintStream out, PrintStream errors, String[] arguments) {
    Configuration conf = HBaseConfiguration.create();
    conf.setFloat("hfile.block.cache.size", 0);
    HFilePrettyPrinter printer = new HFilePrettyPrinter(conf);
    printer.setPrintStreams(out, errors);
    return printer.run(arguments);
  }

  private static int wal(String[] arguments) {
    try {
      WALPrettyPrinter.run(arguments);
      return 0;
    } catch (Exception e) {
      return 1;
    }
  }
}
