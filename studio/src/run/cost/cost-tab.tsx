export default function Tab(_: { readonly view: unknown; readonly address: unknown }) {
  return <p>cost-tab</p>;
}
