/** An entry of the search. */
export interface Entry {
  /** its URL */
  address: string;
  /** the fragment of that URL */
  id: string;
  title: string;
  /** "operation", "schema" or "problem" */
  kind: string;
  /** its search words, in small letters */
  words: string;
}
