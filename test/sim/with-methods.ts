/** A real thing of which some methods are others; all else is its own. */
export function withMethods<T extends object>(real: T, methods: Partial<T>): T {
  return new Proxy(real, {
    get(target, name) {
      if (Object.hasOwn(methods, name)) return Reflect.get(methods, name);
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
