# docs/results/scale.svg: what the model of docs/results/scale.md says. In the project's folder: gnuplot scripts/scale.gp
set terminal svg size 900,360 font "sans,12" background "white"
set output "docs/results/scale.svg"
person = 1660.0         # bytes of one process
hidden = 16.0
classes = 4.0
hops = 4.0
friends = 6.85          # entries of the graph per person
second = 2.5e-9         # of an entry and a hop of 16 columns, one core
cores = 16.0
network = 1.25e9        # bytes per second
halo(r) = r < 2 ? 0 : friends * (1 - 1.0 / r)   # the worst case: every entry between ranks is a row of its own
memory(n, r) = n / r * (person + 4 * (hidden + classes) * 4 * halo(r)) / 1e9
exchange(n, r) = n / r * halo(r) * 4 * ((2 * hops + 2) * hidden + 3 * classes) / network
compute(n, r) = n / r * (friends + 1) * (2 * hops + 5) * second / cores
set logscale xy
set xrange [1e6:1e9]
set format x "10^{%T}"
set xlabel "people"
set grid lc rgb "#dddddd"
set key top left
set multiplot layout 1, 2
set title "memory of one rank, GB"
set yrange [.05:1e4]
plot memory(x, 1) title "1 rank" lw 2 lc rgb "#000000", memory(x, 16) title "16" lw 2 lc rgb "#1b7837", \
     memory(x, 256) title "256" lw 2 lc rgb "#2166ac", 64 title "64 GB" dt 2 lc rgb "#b2182b"
set title "seconds per epoch: exchange (dashed), computing"
set yrange [1e-4:1e3]
plot compute(x, 1) title "1 rank" lw 2 lc rgb "#000000", compute(x, 16) title "16" lw 2 lc rgb "#1b7837", \
     exchange(x, 16) notitle lw 2 dt 2 lc rgb "#1b7837", compute(x, 256) title "256" lw 2 lc rgb "#2166ac", \
     exchange(x, 256) notitle lw 2 dt 2 lc rgb "#2166ac"
