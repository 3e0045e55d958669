import java.util.function.Supplier;

/** Something to be done to a table, the same on both servers. */
interface Operation {
  /** Does it; answers with what the server said. An exception is an answer too. */
  String run(Target target) throws Exception;

  /** All of it, for whoever reads a difference. */
  String text();

  /** What the answer is called when operations are counted. */
  String kind();

  /** Anything that a client does, as a record of what it is called, what it is and how it is run. */
  record Of(String kind, Supplier<String> words, Body body) implements Operation {
    @Override
    public String text() { return kind + " " + words.get(); }

    @Override
    public String run(Target target) throws Exception { return body.run(target); }
  }

  interface Body {
    String run(Target target) throws Exception;
  }

  static Operation of(String kind, Supplier<String> words, Body body) { return new Of(kind, words, body); }
}
