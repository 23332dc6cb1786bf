/** Whether a text has maths in it. A single dollar counts only around something that looks like TeX: prices have dollars, too. */
export function mathsIn(text: string): { readonly has: boolean; readonly single: boolean } {
  if (!text.includes('$')) return { has: false, single: false };
  const single = /(?<![\\$])\$(?=\S)[^$\n]*[\\^_={}+][^$\n]*(?<=\S)\$(?!\d)/.test(text) || isVariable(text);
  return { has: single || text.includes('$$'), single };
}

/** `$t$`, `$0$`: one letter or number alone. */
function isVariable(text: string): boolean {
  return /(?<![\\$\w])\$[A-Za-z0-9](?:\([A-Za-z]\))?\$(?!\w)/.test(text);
}
