package shop;

import java.util.Map;

/** One app, as the configuration describes it. */
public class Shop {
  public String name;
  public String image;
  public int replicas;
  public Map<String, String> env;
}
