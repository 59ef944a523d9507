/** House rules that oxlint does not ship, as a plug-in of its own. */

/** String unions instead of enums: they need no import, no build step of their own, and read the same in logs. */
const noEnum = {
  create: (context) => ({
    TSEnumDeclaration: (node) =>
      context.report({ node, message: 'Use a union of strings instead of an enum.' }),
  }),
};

/** State outside the container would be shared by two apps in one process. */
const noMutableStatic = {
  create: (context) => ({
    PropertyDefinition(node) {
      if (node.static && !node.readonly) {
        context.report({ node, message: 'No mutable static state: keep it in an instance.' });
      }
    },
  }),
};

export default {
  meta: { name: 'house' },
  rules: { 'no-enum': noEnum, 'no-mutable-static': noMutableStatic },
};
