/** Something that can be found. */
export interface Entry {
  /** the fragment that leads to it */
  id: string;
  title: string;
  /** "operation", "schema" or "problem" */
  kind: string;
  /** all by which it is found, in small letters */
  words: string;
}
