/** Remembers what a function makes of the first texts that it is given, as many as `capacity`. */
export const memoize = <A>(capacity: number, make: (text: string) => A): ((text: string) => A) => {
  const known = new Map<string, { readonly made: A }>()
  return (text) => {
    const found = known.get(text) ?? { made: make(text) }
    if (known.size < capacity) known.set(text, found)
    return found.made
  }
}
